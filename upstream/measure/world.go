package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// world is a small one: an etcd or the cache of an API server in front of the simulated etcd, and clients with a few
// steps each. What is compared is the simulated server, of etcd or of the cache, with the code of the same release.
type world struct {
	Name, Doc string
	Clients   [][]step

	// Initial is what the store of a world without a cache begins with, Revision and Compacted its revisions.
	Initial             []*wire.KeyValue
	Revision, Compacted int64
	// Slow is how many times fewer schedules there are than of others, since each takes so much longer; 0 is as many.
	Slow int
	// Snapshot: the server may install one once.
	Snapshot bool

	// Items is how many objects of the cache's resource there are at first. Without any there is no cache.
	Items int
	// Firings is how many timers fire, of those that there are once the cache serves. Those of an etcd alone fire as
	// often as they like.
	Firings int
	// Breaks: the stream with the cache's watch of etcd may break once.
	Breaks bool
}

// findWorld is the world of a name, nil if there is none.
func findWorld(worlds []*world, name string) *world {
	if i := slices.IndexFunc(worlds, func(of *world) bool { return of.Name == name }); i >= 0 {
		return worlds[i]
	}
	return nil
}

func (of *world) cached() bool { return of.Items > 0 }

// start is the world with a program: the simulated server of a version, or the code of a release. The chooser answers
// what nodes ask when they start.
func (of *world) start(program string, c sim.Chooser) (*sim.World, error) {
	if of.cached() {
		return of.startCache(program, c)
	}
	return of.startEtcd(program, c)
}

// etcdNode is the node of the etcd in a world without a cache. Those behind it are clients.
const etcdNode sim.NodeID = 1

func (of *world) startEtcd(name string, c sim.Chooser) (*sim.World, error) {
	version, p := name, (*testbed.Program)(nil)
	if _, err := etcd.Release(name); err != nil {
		if p, err = testbed.FindProgram(name); err != nil {
			return nil, err
		}
		version = p.Version
	}
	cfg, err := etcd.DefaultConfig(version)
	if err != nil {
		return nil, err
	}
	cfg.Initial, cfg.InitialRevision, cfg.Compacted = of.Initial, max(1, of.Revision), of.Compacted
	w := sim.NewWorld(sim.Options{})
	server := etcd.New(cfg)
	if p == nil {
		w.Add("etcd", server)
	} else {
		n := p.New(server)
		n.Reset(cfg)
		w.Add("etcd", n)
	}
	of.addClients(w, etcdNode, etcdNode, etcdText)
	if of.Snapshot {
		w.AddFault(etcd.InstallSnapshot(etcdNode, "etcd"), sim.Budget{Times: 1})
	}
	w.Start(c)
	return w, nil
}

func (of *world) addClients(w *sim.World, etcd, server sim.NodeID, text func(sim.Payload) string) {
	for i, steps := range of.Clients {
		w.Add(fmt.Sprintf("client-%d", i+1), newClient(etcd, server, text, steps))
	}
}

// writes reports whether a client writes through the cache.
func (of *world) writes() bool {
	return slices.ContainsFunc(slices.Concat(of.Clients...), func(s step) bool {
		switch s.request.(type) {
		case *wire.CreateRequest, *wire.GuaranteedUpdateRequest, *wire.DeleteRequest:
			return true
		}
		return false
	})
}

// system puts a world with a cache together with a program, a design of the cache or a guest, behind which options may
// be set.
func (of *world) system(program string) (*testbed.System, error) {
	sc := &testbed.Scenario{Name: of.Name, Params: testbed.Params{
		Etcd:     newEtcd,
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Items: of.Items, Keys: of.Items},
		Clock:    testbed.Clock{Steps: 20_000},
	}}
	all, err := matrix.VariantOf("cache", program)
	if err != nil {
		return nil, err
	}
	for _, set := range all {
		if err := sc.Params.Set(set.Name, set.Value); err != nil {
			return nil, err
		}
	}
	return sc.New(sc.Params)
}

// startCache goes on until the cache serves and each client's first request is under way.
func (of *world) startCache(program string, c sim.Chooser) (*sim.World, error) {
	s, err := of.system(program)
	if err != nil {
		return nil, err
	}
	w := sim.NewWorld(s.Options())
	explore.Build(s, w)
	etcd, cache, first := s.Topology().Etcd, s.Caches()[0].ID, sim.NodeID(w.Nodes())
	if of.Breaks {
		// The guest brings its client library along, and opens the stream itself.
		from := []sim.NodeID{s.Topology().APIServers[0].Client, cache}
		w.AddFault(&sim.BreakStream{From: from, To: etcd, Label: "the watch of etcd"}, sim.Budget{Times: 1})
	}
	of.addClients(w, etcd, cache, cacheText)
	w.Start(c)
	settle(w, c)
	if strings.HasPrefix(program, "kubernetes@") {
		// Every 10 ms it looks whether its reflector has listed, and dispatches events from then on
		// (Cacher.dispatchEvents).
		fire(w, c, func(n sim.NodeID) bool { return n == cache })
		settle(w, c)
	}
	fire(w, c, func(n sim.NodeID) bool { return n >= first })
	return w, nil
}

// settle takes all steps that are no timers and no faults, always in the same order.
func settle(w *sim.World, c sim.Chooser) {
	for list := moving(w.Enabled()); len(list) > 0; list = moving(w.Enabled()) {
		w.Do(c, list[0])
	}
}

// fire has the timers of some nodes fire once.
func fire(w *sim.World, c sim.Chooser, of func(sim.NodeID) bool) {
	for _, a := range slices.Clone(w.Enabled()) {
		if a.Kind == sim.Fire && of(a.Node) {
			w.Enabled()
			w.Do(c, a)
		}
	}
}

// moving are the actions but for timers and faults.
func moving(all []sim.Action) []sim.Action {
	return those(all, func(a sim.Action) bool { return a.Kind != sim.Fire && a.Kind != sim.Inject })
}

func those(all []sim.Action, match func(sim.Action) bool) []sim.Action {
	return slices.DeleteFunc(slices.Clone(all), func(a sim.Action) bool { return !match(a) })
}

// state is a world on its way. fired is how many timers of a world with a cache have fired.
type state struct {
	*sim.World
	fired int
}

// next are the steps of which one is taken next. What is on its way to a client comes at once: it makes no difference
// to others, and what the client sends then may be under way for as long as it likes.
func (of *world) next(s state) []sim.Action {
	all := s.Enabled()
	if i := slices.IndexFunc(all, s.toClient); i >= 0 {
		return all[i : i+1]
	}
	return those(all, func(a sim.Action) bool { return a.Kind != sim.Fire || !of.cached() || s.fired < of.Firings })
}

func (s state) toClient(a sim.Action) bool {
	_, is := s.Node(a.Node).(*client)
	return is && a.Kind == sim.Deliver
}

// do is the state behind a step. The world goes with it.
func (of *world) do(s state, c sim.Chooser, a sim.Action) state {
	s.Enabled()
	s.Do(c, a)
	if a.Kind == sim.Fire && of.cached() {
		s.fired++
	}
	return s
}

// rests reports whether nothing is under way, and with a cache whether all calls were answered: a timer may fire still.
func (of *world) rests(s state) bool {
	if !of.cached() {
		return len(s.Enabled()) == 0
	}
	return len(moving(s.Enabled())) == 0 && !slices.ContainsFunc(s.clients(), func(c *client) bool { return !c.done() })
}

func (s state) clients() []*client {
	var all []*client
	for n := sim.NodeID(1); int(n) < s.Nodes(); n++ {
		if c, is := s.Node(n).(*client); is {
			all = append(all, c)
		}
	}
	return all
}

// trace is what the clients were told so far.
func (s state) trace() trace {
	var all trace
	for _, c := range s.clients() {
		for _, t := range c.told {
			all = append(all, t.texts)
		}
	}
	return all
}
