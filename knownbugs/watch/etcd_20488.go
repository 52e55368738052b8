package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/testbed"
)

// The cache in etcd's client library compared the revision of a new watch with the
// newest event that it had (demux.Register). While it had none it accepted any.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "etcd-20488", Issue: "etcd-io/etcd#20488", FixedIn: "etcd 3.7",
	Summary:  "a watch from any revision is accepted while the history is empty, and resumes with events missing",
	Setting:  "empty-history=takes-any",
	Scenario: scenarios.ResumedWatch, Property: watches.Resumable,
	Why:        "the guarantee that etcd's own robustness tests found broken",
	Further:    []*testbed.Property{watches.Bookmarkable},
	WhyFurther: "a bookmark says that all events up to it were sent, and the missing ones were not",
})

var _ = dispatch.OldestWatches.Register("takes-any", "from anywhere, with the events between missing (etcd#20488)",
	func(env *sim.Env, s *store.Store) int64 {
		if s.HistoryLen(env) == 0 {
			return 0
		}
		return s.OldestWatch(env)
	})
