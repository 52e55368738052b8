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

// New returns a client of a new etcd of a release, such as "3.6.16": one member without data, which nothing breaks. Both end with the test.
// It is safe in parallel tests. The etcd takes about a millisecond to start and has no port.
func New(t testing.TB, release string) *clientv3.Client {
	t.Helper()
	config, err := etcd.DefaultConfig(release)
	if err != nil {
		t.Fatalf("etcdtest: %v", err)
	}
	leave := bubbles.RUnlock
	if inBubble() {
		bubbles.Lock()
		outside := enter()
		leave = func() { outside(); bubbles.Unlock() }
	} else {
		bubbles.RLock()
	}
	w := sim.NewWorld(sim.Options{Mode: sim.Timed, Untraced: true})
	w.Add("etcd", etcd.New(config))
	s := newRun(w, nil, nil, 1, false)
	go s.loop.run()
	client, end, err := s.connect()
	if err != nil {
		t.Fatalf("etcdtest: %v", err)
	}
	t.Cleanup(func() {
		s.loop.stop()
		end()
		leave()
	})
	return client
}

// run is one etcd with its processes.
type run struct {
	loop *loop
	// clock is nil if nothing is recorded.
	clock *clock
	used  int
}

// newRun puts processes into a world that has etcd alone.
func newRun(w *sim.World, choose sim.Chooser, settle func(), processes int, records bool) *run {
	if choose == nil {
		c := strategy.Random().New(strategy.Profile{})
		c.Begin(1)
		choose = c
	}
	r := &run{loop: newLoop(w, choose, settle)}
	if records {
		r.clock = &clock{loop: r.loop}
	}
	for i := range processes {
		name := processName(i)
		if records && i == processes-1 {
			name = "compactor"
		}
		p := &process{name: name, reads: etcdNode, writes: etcdNode, clock: r.clock, links: map[sim.Conn]*link{}}
		w.Add(p.name, p)
		r.loop.processes = append(r.loop.processes, p)
	}
	return r
}

// connect is a client of the next process.
func (r *run) connect() (*clientv3.Client, func(), error) {
	i := r.used
	r.used++
	return connect(r.loop, firstProcess+sim.NodeID(i), r.loop.processes[i])
}
