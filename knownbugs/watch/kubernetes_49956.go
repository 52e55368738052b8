package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/testbed"
)

// While the ring of events was empty, the oldest resourceVersion from which a
// watch was accepted was one too low.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-49956", Issue: "kubernetes/kubernetes#49956", FixedIn: "Kubernetes 1.8",
	Summary:  "a watch from one revision before a list is accepted while the history is empty, and misses an event",
	Setting:  "empty-history=off-by-one",
	Scenario: scenarios.ResumedWatch, Property: watches.Resumable,
	Why:        "the missed event is the first that the new watch should have been sent",
	Further:    []*testbed.Property{watches.Bookmarkable},
	WhyFurther: "a bookmark says that all events up to it were sent, and the missed one was not",
})

var _ = dispatch.OldestWatches.Register("off-by-one", "from one before it, whose event the watcher then misses (kubernetes#49956)",
	func(env *sim.Env, s *store.Store) int64 {
		oldest := s.OldestWatch(env)
		if s.HistoryLen(env) == 0 {
			oldest--
		}
		return oldest
	})
