package etcdtest

import (
	"context"
	"slices"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/option"
)

// delaySteps is how many delays a message may have.
const delaySteps = 4

// etcdNode is the number of etcd in the world, firstProcess that of the first process.
const (
	etcdNode     sim.NodeID = 1
	firstProcess sim.NodeID = 2
)

// New returns a client of a new etcd of a release, such as "3.6.16": one member without data, which nothing breaks.
// Both end with the test. It is safe in parallel tests. The etcd takes about a millisecond to start and has no port.
func New(t testing.TB, release string) *clientv3.Client {
	t.Helper()
	config, err := configure(release, nil, false)
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
	go s.loop.run()
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

// plain is an etcd that nothing breaks, with one client.
func plain(config etcd.Config) *run {
	return (&Config{Clients: 1, Faults: &Faults{}}).begin(config, trial{}, nil, false).run
}

// run is one etcd with its processes.
type run struct {
	loop *loop
	etcd *etcd.Server
	// clock is nil if nothing is recorded.
	clock *clock
	used  int
	// goroutine names the one that runs, nil if nothing is told.
	goroutine func() string
}

// begin puts etcd and the processes of clients into a world, and what may break there. The last process compacts.
func (c *Config) begin(server etcd.Config, of trial, settle func(), records bool) *planner {
	w := sim.NewWorld(sim.Options{
		Mode: sim.Timed, Untraced: true,
		Safety:   sim.Bounds{Network: sim.Delay{Max: c.Network, Steps: delaySteps}},
		Liveness: sim.Bounds{Network: sim.Delay{Max: c.Network / 10, Steps: delaySteps}},
	})
	server.Forgets = !records
	if server.Replicated = c.Follower; c.Follower {
		// linearizableReadLoop of a follower asks again as long as the leader does not answer.
		server.Reads.IndexRetries = option.MaxCount
	}
	p := &planner{config: c, of: of, world: w, servers: []sim.NodeID{etcdNode}}
	p.plan(func(name string) bool { return name == sizes })
	for _, f := range p.all {
		set := slices.ContainsFunc(c.Set, func(text string) bool { return strings.HasPrefix(text, f.setting.Name+"=") })
		if !of.has(f.number) || set {
			continue
		}
		if err := etcd.Group.Set(&server.Options, f.setting.Name, f.setting.Value); err != nil {
			panic(err)
		}
	}
	choose := newChooser(of)
	r := &run{loop: newLoop(w, choose, settle), etcd: etcd.New(server)}
	p.run = r
	w.Add("etcd", r.etcd)
	if records {
		r.clock = &clock{loop: r.loop}
	}
	for i := range c.Clients + 1 {
		name := processName(i)
		if i == c.Clients {
			name = "compactor"
		}
		p := &process{name: name, members: []sim.NodeID{etcdNode}, leader: etcdNode, clock: r.clock, links: map[sim.Conn]*link{}}
		w.Add(p.name, p)
		r.loop.processes = append(r.loop.processes, p)
	}
	if c.Follower {
		following := server
		following.Leader, following.Replicated = etcdNode, false
		follower := etcd.New(following)
		p.servers = append(p.servers, w.Add("follower", follower))
		for i, process := range r.loop.processes[:c.Clients] {
			process.follower, process.members = follower, [][]sim.NodeID{p.servers[1:], p.servers[:1], p.servers}[i%3]
		}
	}
	p.plan(func(name string) bool { return name != sizes })
	choose.faults = p.all
	r.loop.heal = sim.Time(c.Faults.Within)
	return p
}

// byHeader is the header of a request that names the goroutine of the test, for its story.
const byHeader = "etcdtest-by-bin"

// serve is the configuration of a client of the next process, and what ends its server.
func (r *run) serve() (clientv3.Config, func()) {
	i := r.used
	r.used++
	r.loop.processes[i].used.Store(true)
	config, stop := serve(r.loop, firstProcess+sim.NodeID(i), r.loop.processes[i], r.etcd)
	if r.goroutine != nil {
		config.DialOptions = append(config.DialOptions, grpc.WithChainUnaryInterceptor(
			func(ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
				return invoke(metadata.AppendToOutgoingContext(ctx, byHeader, r.goroutine()), method, request, reply, cc, options...)
			}))
	}
	return config, stop
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
