package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
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

// A LIST at resourceVersion "0" could not be told from a LIST without a resourceVersion: after
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

// A client that watches again from the revision that the response names would miss a
// deletion of the compacted revision.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "compaction-after-last",
	Summary:  "the response that ends a watch whose history is gone names the revision behind the compacted one",
	Setting:  "named-compaction=after-last",
	Scenario: scenarios.CompactedWatch, Property: etcdapi.WatchAnswers,
	Why: "etcd was never compacted at the revision that the client is told",
})

// etcd counts the keys of a range before it looks at the bounds of revisions.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "count-of-selection",
	Summary:  "a range with bounds of revisions is answered the number of keys within the bounds, and not that of all keys of the range",
	Setting:  "answers=count-of-selection",
	Scenario: scenarios.AnyEtcdRequests, Property: reads.LinearizableData,
	Why:        "the keys are right and their number is not",
	Further:    []*testbed.Property{reads.Linearizable, reads.Exact, etcdapi.Answers},
	WhyFurther: "each of them compares the number as well",
})

// The deletion itself is right: a client that only reads keys sees nothing of it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "deletes-count-one",
	Summary:  "the deletion of a range is answered as if it had deleted one key",
	Setting:  "answers=deletes-count-one",
	Scenario: scenarios.AnyEtcdRequests, Property: reads.Linearizable,
	Why:        "no order of the writes has the range with one key in it",
	Further:    []*testbed.Property{reads.LinearizableData, etcdapi.Answers},
	WhyFurther: "the answer is wrong at its revision, too",
})

// A cache makes the object of DELETED from the previous value. Without selectors nothing
// else depends on it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "deleted-without-value",
	Summary:  "the previous value of a deletion has the revisions of the key, and no value",
	Setting:  "sent-events=deleted-without-value",
	Scenario: scenarios.ErrorsAtRest, Property: watches.EventTypes,
	Why: "DELETED has to carry the last state of the object",
})

// Clients put the fragments together, so that nothing else shows it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "fragment-for-each-event",
	Summary:  "a response that is too large for one message is split behind each event",
	Setting:  "fragments=single",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.Fragments,
	Why: "two events would have had room in one fragment",
})

// As if the previous value was read behind the write.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "new-value-as-previous",
	Summary:  "a put that asks for the previous value is answered the new one",
	Setting:  "answers=new-value-as-previous",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.Answers,
	Why:        "the model knows the value before the write",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "in no order of the writes is the value of a put there before it",
})

// sendLoop does not look up the previous value of a key that is created. One that did, at
// the revision of the event instead of the one before, would find the key itself.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "previous-of-created",
	Summary:  "the event that creates a key carries a previous value, although there was none",
	Setting:  "sent-events=previous-of-created",
	Scenario: scenarios.PreviousValues, Property: watches.PrevKV,
	Why: "the event itself is right",
})

// kine, which serves etcd's API from an SQL database, did so from its first release on. A
// client that watches from the revision of its list then watches from history that may be
// compacted.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "requested-revision-in-header", Issue: "k3s-io/kine#595",
	Summary:  "the answer to a read of the past names the revision that was asked for as the one that etcd is at",
	Setting:  "answers=requested-revision",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.Answers,
	Why: "the contents are right, and etcd was past that revision when it was asked",
})

// What bbolt returns is valid within its transaction only. Events whose values are not
// copied share the buffer with what is read later.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "events-share-value",
	Summary:  "all events of a response to a watch have the value of the last one",
	Setting:  "sent-events=share-value",
	Scenario: scenarios.WatchGuarantees, Property: watches.Reliable,
	Why: "key, revisions and version of each event are right, and its value was never written with them",
})

// The signal that a watch is initialized was not given for watches that an aggregated API
// server served. Here it is given for none.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-105409", Issue: "kubernetes/kubernetes#105409", FixedIn: testbed.Fix("Kubernetes", "1.23"),
	Summary:  "a watch keeps its seats until it ends: a few watches that last take the seats of everything else",
	Setting:  "watch-seats=ended",
	Scenario: scenarios.SeatQueues, Property: caches.SeatsKept,
	Why: "each request that is executed has an answer, and the right one; what waits has none until a watch ends",
})

// No API server is known to have had this one. Requests of a queue lie in the order of their
// arrival, and upstream looked through them for those that were too old until it found one
// that was not.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "queue-times-out",
	Summary:  "when a request has waited too long for seats, all that wait behind it in its queue are refused with it",
	Setting:  "queue-timeout=queue",
	Scenario: scenarios.SeatWaits, Property: caches.SeatsKept,
	Why: "a refusal for lack of seats is nothing unusual: only how long the request has waited says that it came too early",
})

// No cache is known to have had this one. A check that forgets what a digest is of
// passes each time, and nothing else says that it looks at too little.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "check-compares-names",
	Summary:  "a consistency check compares the names of objects only: an old object in the cache is not found",
	Setting:  "check-digest=names",
	Scenario: scenarios.ConsistencyChecks, Property: caches.DetectorAccuracy,
	Why: "the lost event is of an object that the cache has, in an older revision",
})

// No cache is known to have had this one. A continue token without a revision would do
// it: the digest of etcd is then of two states.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "check-pages-of-newest-state",
	Summary:  "a consistency check lists its later pages at the newest revision: a write in between is taken for a difference",
	Setting:  "check-pages=newest",
	Scenario: scenarios.ConsistencyChecks, Property: caches.DetectorAccuracy,
	Why: "cache and etcd are equal at the revision of the check",
})

// No etcd has such a request. Its HashKV takes a revision since 3.3, and without one hashes all that there is.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "check-hash-of-newest-state",
	Summary:  "a consistency check asks etcd for the hash of its newest state: a write since the cache's last event is taken for a difference",
	Setting:  "check-by=etcd-hash-of-newest",
	Scenario: scenarios.ConsistencyChecks, Property: caches.DetectorAccuracy,
	Why: "cache and etcd are equal at the revision of the check",
})
