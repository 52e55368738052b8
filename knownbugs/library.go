package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// etcd's cache library is not known to have had any of these.

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "library-lost-wake-up",
	Summary:  "progress raises the revision of the store of etcd's cache library, and no read that waits is woken",
	Setting:  "library-mistake=lost-wake-up",
	Scenario: scenarios.LibraryElsewhere, Property: reads.AnswersInTime,
	Why: "the store has the revision, and the read sees it after three seconds",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "library-short-history",
	Summary:  "a watcher of etcd's cache library that needs the very revision which the history has just lost goes on behind it",
	Setting:  "library-mistake=short-history",
	Scenario: scenarios.LibraryWatches, Property: watches.Resumable,
	Why:        "a watcher that comes back is sent all events but the first, in place of ErrCompacted",
	Further:    []*testbed.Property{watches.Reliable, watches.KeepUp, caches.MatchEtcd},
	WhyFurther: "a watcher that lags, and that of the store, lose the event in the same way",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "library-taken-for-sent",
	Summary:  "an event for which a watcher of etcd's cache library has no room counts as sent",
	Setting:  "library-mistake=taken-for-sent",
	Scenario: scenarios.LibraryWatches, Property: watches.Reliable,
	Why:        "what comes next is sent, and the event never",
	Further:    []*testbed.Property{watches.Resumable, watches.Bookmarkable, watches.KeepUp, caches.CatchUp, caches.MatchEtcd},
	WhyFurther: "the watcher of the store loses it in the same way, progress claims that it was sent, and behind the last event nothing follows",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "library-unawaited-read",
	Summary:  "a linearizable read of etcd's cache library asks for the revision and does not wait for it",
	Setting:  "library-mistake=unawaited-read",
	Scenario: scenarios.LibraryReads, Property: reads.LinearizableData,
	Why:        "the answer lacks a write that was acknowledged before the read",
	Further:    []*testbed.Property{reads.Linearizable},
	WhyFurther: "the revision of the answer is too old as well",
})
