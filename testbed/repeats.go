package testbed

import "github.com/watchbed/watchbed/sim"

// ComingToRest judges runs without a clock that go on behind the last client until nothing more can happen
// (to-rest=true). One that does not end repeats itself, since all that can happen gets its turn at last: a list of a
// compacted revision follows its own 410, a watch is cancelled again and again. It is exercised once by each run that
// comes to rest.
var ComingToRest = RegisterProperty(&Property{
	Name: "comes-to-rest", Kind: Liveness, AfterRestore: true,
	Promise:  "A run without a clock comes to rest behind its last client: nothing is tried again for ever.",
	Violated: "tried again for ever",
	Monitor:  Monitor{AtRest: true},
	New: Recorded(func(s *System, w *sim.World, all *Tally) {
		if s.IsAtRest(w) {
			all.Exercised++
		} else if s.isRepeating(w) {
			all.Violatef("", Concern{}, "each client has ended, and %s later what can happen still happens again and again", sim.Some(w.Steps()-s.waitedFrom, "step"))
		}
	}),
})
