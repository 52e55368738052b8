package etcdtest

import (
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
)

// etcdNode is the number of etcd in the world, firstProcess that of the first process.
const (
	etcdNode     sim.NodeID = 1
	firstProcess sim.NodeID = 2
)

// New returns a client of a new etcd of a release, such as "3.6.16": one member without data, which nothing breaks.
// Both end with the test. It is safe in parallel tests. The etcd takes about a millisecond to start and has no port.
func New(t testing.TB, release string) *clientv3.Client {
	t.Helper()
	config, err := etcd.DefaultConfig(release)
	if err != nil {
		t.Fatalf("etcdtest: %v", err)
	}
	end := claim(t, "New")
	leave := bubbles.RUnlock
	if inBubble() {
		bubbles.Lock()
		outside := enter()
		leave = func() { outside(); bubbles.Unlock() }
	} else {
		bubbles.RLock()
	}
	s := plain(config)
	client, closes, err := s.connect()
	if err != nil {
		t.Fatalf("etcdtest: %v", err)
	}
	t.Cleanup(func() {
		s.loop.stop()
		closes()
		leave()
		end()
	})
	return client
}

// plain starts an etcd that nothing breaks, with one process.
func plain(config etcd.Config) *run {
	w, node := sim.NewWorld(sim.Options{Mode: sim.Timed, Untraced: true}), etcd.New(config)
	w.Add("etcd", node)
	c := strategy.Random().New(strategy.Profile{})
	c.Begin(1)
	r := newRun(w, node, c, nil, 1, false)
	go r.loop.run()
	return r
}

// run is one etcd with its processes.
type run struct {
	loop *loop
	etcd *etcd.Server
	// clock is nil if nothing is recorded.
	clock *clock
	used  int
}

// newRun puts processes into a world that has etcd alone.
func newRun(w *sim.World, node *etcd.Server, choose sim.Chooser, settle func(), processes int, records bool) *run {
	r := &run{loop: newLoop(w, choose, settle), etcd: node}
	if records {
		r.clock = &clock{loop: r.loop}
	}
	for i := range processes {
		name := processName(i)
		if records && i == processes-1 {
			name = "compactor"
		}
		p := &process{name: name, members: []sim.NodeID{etcdNode}, leader: etcdNode, clock: r.clock, links: map[sim.Conn]*link{}}
		w.Add(p.name, p)
		r.loop.processes = append(r.loop.processes, p)
	}
	return r
}

// serve is the configuration of a client of the next process, and what ends its server.
func (r *run) serve() (clientv3.Config, func()) {
	i := r.used
	r.used++
	r.loop.processes[i].used.Store(true)
	return serve(r.loop, firstProcess+sim.NodeID(i), r.loop.processes[i], r.etcd)
}

// connect is a client of the next process, and what ends both.
func (r *run) connect() (*clientv3.Client, func(), error) {
	config, stop := r.serve()
	client, err := clientv3.New(config)
	if err != nil {
		stop()
		return nil, nil, err
	}
	return client, func() { _ = client.Close(); stop() }, nil
}
