package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	scenarioinformers "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// A read of one object did not count among those for which etcd is asked for
// progress. The lists of one object went the same way (WaitUntilFreshAndGet), and
// were found to hang.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-123674", Issue: "kubernetes/kubernetes#123674", FixedIn: testbed.Fix("Kubernetes", "1.30"),
	Summary:  "a read of one object waits for a fresh cache, and etcd is not asked for progress: on a quiet range it times out",
	Setting:  "get-wait=silent",
	Scenario: scenarios.QuietGet, Property: reads.AnswersInTime,
	Why: "the revision is there, nothing is wrong, and the read is refused after three seconds",
})

// A LIST at resourceVersion "0" could not be told from one that gives none: after
// parsing both were 0.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-123676", Issue: "kubernetes/kubernetes#123676", FixedIn: testbed.Fix("Kubernetes", "1.30"),
	Summary:  "a LIST at resourceVersion 0 waits like a consistent one",
	Setting:  "zero-rv=consistent",
	Scenario: scenarios.AnyWithoutProgress, Property: reads.AnswersInTime,
	Why: "what is asked for is in the cache already; the answer is right, and comes too late or not at all",
})

// The prefix of a namespace was used without its final "/".
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-125584", Issue: "kubernetes/kubernetes#125584", FixedIn: testbed.Fix("Kubernetes", "1.31"),
	Summary:  "a LIST of a namespace shows the objects of another one whose name begins like it",
	Setting:  "list-prefix=open",
	Scenario: scenarios.Namespaces, Property: reads.LinearizableData,
	Why:        "an object is shown that is not below the prefix, at any revision",
	Further:    []*testbed.Property{reads.Linearizable},
	WhyFurther: "the same objects, judged with the resourceVersion of the LIST",
})

// API servers answered a LIST at resourceVersion "0" from their caches, of which
// each may be late by another time. Here every LIST is answered so.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-59848", Issue: "kubernetes/kubernetes#59848", FixedIn: testbed.Fix("Kubernetes", "1.31"),
	Summary:  "a LIST is answered with what a cache has, however old: a client that moves to another API server goes back in time",
	Setting:  "freshness=none",
	Scenario: scenarios.SeveralCaches, Property: reads.Monotonic,
	Why: "each of the two caches is right about some moment; only a client that asks both sees time go back",
})

// No cache is known to have had this one.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "page-of-newest-state",
	Summary:  "the second page of a list is served from the newest state, not from that of the first",
	Setting:  "next-page=newest",
	Scenario: scenarios.SnapshotReads, Property: reads.Pages,
	Why:        "each page is true by itself; together they are not one state",
	Further:    []*testbed.Property{reads.Exact, reads.NoCompactedReads},
	WhyFurther: "a page after the first shows the newest state in place of the one asked for, which may be compacted",
})

// No cache is known to have had this one.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "revision-of-last-reader",
	Summary:  "the revision that etcd answered to one reader is kept and given to the next",
	Setting:  "current-rv=last-reader",
	Scenario: scenarios.ConsistentList, Property: reads.LinearizableData,
	Why:        "the revision was asked for before the write that the reader knows of",
	Further:    []*testbed.Property{reads.Linearizable, reads.Sequential},
	WhyFurther: "the LIST is too old with its resourceVersion as without, and a client may have seen more before",
})

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

// No cache is known to have had this one without meaning it: behind a gate Kubernetes does
// it on purpose (on-timeout=throttle). KEP-2340 has 504 with cause ResourceVersionTooLarge.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "stale-as-overload",
	Summary:  "a consistent LIST for which the cache is behind is refused as if there were too many requests",
	Setting:  "on-timeout=overload",
	Scenario: scenarios.Refusals, Property: caches.JustifiedRefusals,
	Why: "a LIST may be refused then, with another code: a client takes 429 for a lack of room and not of progress",
})

var _ = read.Timeouts.Register("overload", "429, though the design has 504", func(env *sim.Env, r *read.Read) {
	r.Refuse(env, &wire.Error{Code: wire.TooManyRequests, Message: "too many requests, please try again later", RetryAfter: 1})
})

// No cache is known to have had this one. The contents of the cache are right: neither
// a LIST of all objects nor a consistency check, which compares contents, can find it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "stale-index",
	Summary:  "an object whose field changes stays in the index under its former value as well: a LIST by that value shows the object as it was",
	Setting:  "index-update=deletions",
	Scenario: scenarios.SelectedLists, Property: reads.LinearizableData,
	Why:        "the LIST shows an object that does not match its selector any more",
	Further:    []*testbed.Property{reads.Linearizable, reads.NotOlderThan},
	WhyFurther: "the LIST is of no state that etcd was in, whatever its resourceVersion",
})

// No cache is known to have had this one.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "store-without-snapshot",
	Summary:  "a deletion leaves no snapshot: an exact read at it is served from the one before",
	Setting:  "snapshot-on=puts",
	Scenario: scenarios.SnapshotReads, Property: reads.Exact,
	Why:        "a read at the deletion shows the object; the newest state is right",
	Further:    []*testbed.Property{reads.Pages, caches.ServedAsPromised},
	WhyFurther: "later pages show the state before the deletion, and the first page does not; a read at the deletion may find no snapshot, and goes to etcd",
})
