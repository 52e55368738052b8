package main

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/upstream/traces"
)

// prefix is that of the keys of the cache's resource.
const prefix = "/registry/pods/"

// etcdVersion is the release of the simulated etcd on both sides.
const etcdVersion = "3.6.16"

// The two programs: the cacher that ships, and the cache of the simulation as that release has it.
const (
	released  = "kubernetes@v0.37.2"
	simulated = "v0.37.2"
)

// world is a small one: an etcd, an API server's storage of one resource, and clients with a few steps each.
type world struct {
	Name, Doc string
	// Items is how many objects there are at first.
	Items int
	// Firings is how many timers fire, of those that there are once the cache serves.
	Firings int
	// Breaks: the stream with the cache's watch of etcd may break once.
	Breaks  bool
	Clients [][]step
}

// system puts the world together with a program.
func (of *world) system(program string) (*testbed.System, error) {
	sc := &testbed.Scenario{Name: of.Name, Params: testbed.Params{
		Etcd: etcdVersion, Cache: program,
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{Items: of.Items, Keys: max(1, of.Items)},
		Clock:    testbed.Clock{Steps: 20_000},
	}}
	if program == simulated {
		// It starts as the release does by default.
		sc.Params.Settings = option.Settings("reflector-list=watch-list")
	}
	return sc.New(sc.Params)
}

// start is the world with a program, with the cache serving and each client's first request under way. The chooser answers what nodes
// ask until then.
func (of *world) start(program string, c sim.Chooser) (*sim.World, error) {
	s, err := of.system(program)
	if err != nil {
		return nil, err
	}
	w := sim.NewWorld(s.Options())
	explore.Build(s, w)
	cache, first := s.Caches()[0].ID, sim.NodeID(w.Nodes())
	if of.Breaks {
		// The guest brings its client library along, and opens the stream itself.
		w.AddFault(&sim.BreakStream{From: []sim.NodeID{s.Topology().APIServers[0].Client, cache}, To: s.Topology().Etcd, Label: "the watch of etcd"}, sim.Budget{Times: 1})
	}
	for i, steps := range of.Clients {
		w.Add("client-"+string(rune('1'+i)), newClient(s.Topology().Etcd, cache, steps))
	}
	w.Start(c)
	settle(w, c)
	if strings.HasPrefix(program, released) {
		// Every 10 ms it looks whether its reflector has listed, and dispatches events from then on (Cacher.dispatchEvents).
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
	var list []sim.Action
	for _, a := range all {
		if a.Kind != sim.Fire && a.Kind != sim.Inject {
			list = append(list, a)
		}
	}
	return list
}

// state is a world on its way: how many timers have fired.
type state struct {
	*sim.World
	fired int
}

// next are the steps of which one is taken next. What is on its way to a client comes at once: it makes no difference to
// others, and what the client sends then may be under way for as long as it likes.
func (of *world) next(s state) []sim.Action {
	all := s.Enabled()
	var list []sim.Action
	for i, a := range all {
		if _, is := s.Node(a.Node).(*client); is && a.Kind == sim.Deliver {
			return all[i : i+1]
		}
		if a.Kind != sim.Fire || s.fired < of.Firings {
			list = append(list, a)
		}
	}
	return list
}

// do is the state behind a step. The world goes with it.
func (s state) do(c sim.Chooser, a sim.Action) state {
	s.Enabled()
	s.Do(c, a)
	if a.Kind == sim.Fire {
		s.fired++
	}
	return s
}

// rests reports whether nothing is under way, and all calls were answered. A timer may fire still.
func (s state) rests() bool {
	if len(moving(s.Enabled())) > 0 {
		return false
	}
	for n := sim.NodeID(1); int(n) < s.Nodes(); n++ {
		if c, is := s.Node(n).(*client); is && !c.done() {
			return false
		}
	}
	return true
}

// trace is the trace of a world so far.
func (s state) trace() traces.Trace {
	var all traces.Trace
	for n := sim.NodeID(1); int(n) < s.Nodes(); n++ {
		if c, is := s.Node(n).(*client); is {
			for _, t := range c.told {
				all = append(all, t.Texts)
			}
		}
	}
	return all
}
