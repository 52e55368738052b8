package read

import (
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	scenarioinformers "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one. It is revision-of-last-reader for watches: the
// first one after a start of the cache is right.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "revision-of-last-watch",
	Summary:  "the revision that etcd answered to one WatchList is kept and given to the next, whose initial events may be older than its request",
	Setting:  "watch-rv=last-watch",
	Scenario: scenarioinformers.Moves, Property: watches.InitialEvents,
	Why:        "the initial events are one state of etcd, and all later events follow; they begin before the request",
	Further:    []*testbed.Property{informers.Monotonic},
	WhyFurther: "an informer that had restarted is shown an older state than before, if the API server has not caught up meanwhile",
})

var cellLastWatch = sim.NewCell("cache: revision of the last watch")

var _ = read.WatchRevisionSources.Register("last-watch", "the one that etcd answered to the watch before it",
	func() read.RevisionSource { return &lastReader{cell: cellLastWatch} })
