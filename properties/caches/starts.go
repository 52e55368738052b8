package caches

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// InformersSync judges where all the time of a run has passed. It is exercised by each informer once,
// so that it is for scenarios in which no informer starts anew at the end.
var InformersSync = testbed.RegisterProperty(&testbed.Property{
	Name: "informers-sync", Kind: testbed.Liveness,
	Promise:  "An informer has a first state of its resource before the time of the run is over, however far the caches are behind.",
	Violated: "informer never initialises",
	Labels:   map[string]string{"unsynced": "informer never initialises"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.Recorded(informersSync),
})

func informersSync(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for _, n := range s.Informers() {
		switch {
		case n.Synced():
			all.Exercised++
		case over(w, s):
			all.Exercised++
			all.Violatef("unsynced", testbed.Concern{Node: n.Name}, "%s has no state yet, and has asked for one %d times", n.Name, n.Record().Requests)
		}
	}
}

// Initialises judges where all the time of a run has passed. It is exercised by each cache once,
// so that it is for scenarios in which no cache starts anew at the end.
var Initialises = testbed.RegisterProperty(&testbed.Property{
	Name: "initialises", Kind: testbed.Liveness,
	Promise:  "A cache has the state of etcd, and is ready, before the time of the run is over.",
	Violated: "cache never initialises",
	Labels:   map[string]string{"unready": "cache never initialises"},
	Monitor:  testbed.Monitor{Runs: testbed.EveryRun},
	New:      testbed.Recorded(initialises),
})

func initialises(s *testbed.System, w *sim.World, all *testbed.Tally) {
	for _, c := range s.Caches() {
		switch {
		case c.Ready():
			all.Exercised++
		case over(w, s):
			all.Exercised++
			all.Violatef("unready", testbed.Concern{}, "%s is not ready after %v", c.Name, s.Params().Clock.Horizon)
		}
	}
}

// over reports whether all the time of a run has passed. Without a clock it never has.
func over(w *sim.World, s *testbed.System) bool {
	return w.Mode() == sim.Timed && w.Now() >= sim.Time(s.Params().Clock.Horizon)
}
