package knownbugs

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// The Python client asks for bookmarks, and did not take their resourceVersion over.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "informer-ignores-bookmarks", Issue: "kubernetes-client/python#1796",
	Summary:  "an informer of a quiet resource resumes its watch at its last event, whatever bookmarks it was sent",
	Setting:  "informer-bookmarks=ignored",
	Scenario: scenarios.Overload, Property: informers.Resumes,
	Why: "a bookmark says that there is nothing up to a later resourceVersion",
})

// An API server that is too busy for a watch was sent a LIST in its place.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-100878", Issue: "kubernetes/kubernetes#100878", FixedIn: testbed.Fix("client-go", "0.22"),
	Summary:  "an informer whose watch a busy API server refuses (429) lists everything again",
	Setting:  "informer-busy-watch=none",
	Scenario: scenarios.Refusals, Property: informers.Resumes,
	Why: "the watch could have been resumed, and everything is listed",
})

// A client that sets the limit of every list sets that of the list in one piece, too. Its
// first page is taken for everything.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-126770", Issue: "kubernetes/kubernetes#126770",
	Summary:  "an informer that lists anew because its pages expired has one page of the objects, and takes it for all",
	Setting:  "informer-whole-list=limited",
	Scenario: scenarios.ExpiredPages, Property: informers.MatchEtcd,
	Why:        "the objects behind the first page are missing",
	Further:    []*testbed.Property{informers.CatchUp},
	WhyFurther: "nothing is written to them any more, so that no event brings them",
})

// A transformer of an informer removes from each object the fields that the controller does not need. The
// store of the Reflector did not apply it any more, and the detector applied it to its list.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-135580", Issue: "kubernetes/kubernetes#135580", FixedIn: testbed.Fix("Kubernetes", "1.34.3", "1.35"),
	Summary:  "the consistency detector of an informer compares transformed objects with others, and panics",
	Setting:  "informer-comparison=transformed",
	Scenario: scenarios.Refusals, Property: informers.DetectorAccuracy,
	Why:        "what was streamed is what etcd had",
	Further:    []*testbed.Property{informers.CatchUp},
	WhyFurther: "an informer that panics stops",
})

// The Reflector asked for the newest state after 410 only. A server that had not come as
// far as the one before it was asked for the same resourceVersion again and again.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-91073", Issue: "kubernetes/kubernetes#91073", FixedIn: testbed.Fix("client-go", "0.19"),
	Summary:  "an informer whose resourceVersion no server has reached names it for ever, and does not ask for the newest state",
	Setting:  "informer-unavailable=expired",
	Scenario: scenarios.Expired, Property: informers.Resumes,
	Why: "the list after the refusal names the resourceVersion that was refused",
	Unsearched: "needs eleven refusals by a cache that is behind another, after a watch that was refused there: with a refusal " +
		"alone 174,600 states and with a broken watch alone 83,348 states of informer-expired are all that there are, " +
		"and both together are more. With one cache that is behind a list of etcd's (freshness=direct " +
		"informer-restarts=1) 60,352 states come to depth 17, and the eleven refusals alone are more than 40 steps",
})

// A continue token says where to go on, and nothing of how far.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-forgets-limit",
	Summary:  "an informer that lists in pages asks for everything behind the first page at once",
	Setting:  "informer-next-page=unlimited",
	Scenario: scenarios.ExpiredPages, Property: informers.TriesAgain,
	Why: "the second page has no limit; what the informer holds is right",
})

// Watches of Kubernetes' Python client and of many operators are restarted in a loop.
// kubernetes/kubernetes#87794 gave the Reflector its backoff, which until then waited
// for a second.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-never-pauses",
	Summary:  "an informer that is refused asks again at once, and takes down the API server that is busy already",
	Setting:  "informer-pause=none",
	Scenario: scenarios.Overload, Property: informers.TriesAgain,
	Why: "the next request is sent at the time of the refusal",
})

// Below the Reflector a request is sent again every second. If that never ends, the
// Reflector never learns that the request is of no use, and neither asks for another
// state nor pauses for longer.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-repeats-without-end",
	Summary:  "an informer sends a request that is refused with Retry-After again without end",
	Setting:  "informer-retries=unlimited",
	Scenario: scenarios.Expired, Property: informers.TriesAgain,
	Why: "it is sent for the twelfth time",
})

// AddEventHandler takes blockDeltas so that nothing is processed between the list of the store and the
// registration.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-adds-handler-unlocked",
	Summary:  "a handler is added while a batch is processed: it is listed an object, and told once more that it was added",
	Setting:  "informer-late-handler=unlocked",
	Scenario: scenarios.Handlers, Property: informers.HandlerOrder,
	Why:        "the store has the batch already, and the handlers are still told of it",
	Further:    []*testbed.Property{informers.HandlerSynced},
	WhyFurther: "what is told once more is of the initial list, and may come after it has ended",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-batch-loses-a-delta",
	Summary:  "the delta that closes a batch is taken off the queue with it, and processed by none",
	Setting:  "informer-batch-members=without-last",
	Scenario: scenarios.Handlers, Property: informers.MatchEtcd,
	Why:        "the store lacks a change of an object that changed twice",
	Further:    []*testbed.Property{informers.HandlerOrder, informers.HandlerSynced, informers.HandlersRest},
	WhyFurther: "handlers are told what is in the store, and a handler that is added is listed that",
})

// What a batch tells handlers is found out before any of it is in the store. RealFIFO.PopBatch closes a batch
// at the second delta of an object.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-batches-an-object-twice",
	Summary:  "a batch has two deltas of an object: handlers are told of the second as if the first had not been",
	Setting:  "informer-batch-members=any",
	Scenario: scenarios.Handlers, Property: informers.HandlerOrder,
	Why: "the object of before the batch is taken for that of before the second delta",
})

// What KEP-5647 is about: until Kubernetes 1.36 controllers acted on whatever their informers had.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "controller-acts-at-once", Issue: "kubernetes/enhancements#5647", FixedIn: testbed.Fix("Kubernetes", "1.36"),
	Summary:  "a controller acts on an object as it was before its own update, and does everything twice",
	Setting:  "controller-consistency=none",
	Scenario: scenarios.Controller, Property: informers.OwnWrites,
	Why: "the answer to the update has come, and its event has not",
})

// A client's update returns a new object, and the one that was sent still has the resourceVersion of what was read.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "controller-records-what-it-read",
	Summary:  "a controller records the resourceVersion of the object that it has read, not of the one that it has written",
	Setting:  "controller-records=read",
	Scenario: scenarios.Controller, Property: informers.OwnWrites,
	Why: "the store has come to that long ago, so that the controller does not wait",
})

// A handler that takes every deleted object for one of its own type leaves out DeletedFinalStateUnknown; a filter
// before it does so without a word. Many controllers had this.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "informer-drops-tombstones", Issue: "volcano-sh/volcano#2784",
	Summary:  "handlers leave out deletions that their informer learns by listing again",
	Setting:  "informer-tombstones=dropped",
	Scenario: scenarios.HandlersResync, Property: informers.HandlerKnows,
	Why: "the handler knows of an object that is not in the store",
})

// An object that was added and is still in the queue when a list comes without it is in neither of both:
// the deletions of the list were those of objects in the store.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-115620", Issue: "kubernetes/kubernetes#115620", FixedIn: testbed.Fix("client-go", "0.27"),
	Summary:  "an informer keeps for ever what was added and deleted before it listed again",
	Setting:  "informer-replace=one-by-one-stored",
	Scenario: scenarios.HandlersRelist, Property: informers.HandlerOrder,
	Why:        "the object was in the queue only when the list came without it; if it is created again, it is told as an update",
	Further:    []*testbed.Property{informers.MatchEtcd, informers.Monotonic, informers.HandlerSynced, informers.HandlersRest},
	WhyFurther: "the object stays if it is not created again; and a store that is filled object by object has no resourceVersion of its own",
})

// The gate AtomicFIFO: a handler that looks into the store while a list is processed sees objects of two
// resourceVersions.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-135462", Issue: "kubernetes/kubernetes#135462", FixedIn: testbed.Fix("client-go", "0.36"),
	Summary:  "a list gets into the store of an informer object by object: handlers see a state that there never was",
	Setting:  "informer-replace=one-by-one",
	Scenario: scenarios.HandlersRelist, Property: informers.MatchEtcd,
	Why:        "the store has some objects of the list, and not the others",
	Further:    []*testbed.Property{informers.Monotonic, informers.HandlerSynced},
	WhyFurther: "the resourceVersion of the store is that of the last object, and says nothing of the others",
})

// The lock of the listeners was held while their first notification waited for their goroutines. A resync
// that waits to write keeps out the goroutine that is to start them, which reads.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-136509", Issue: "kubernetes/kubernetes#136509", FixedIn: testbed.Fix("client-go", "0.36"),
	Summary:  "a resync before the goroutines of the listeners have started: they never do, and no handler is told anything",
	Setting:  "informer-distribute=holding",
	Scenario: scenarios.HandlersStart, Property: informers.HandlersRest,
	Why: "the process loop waits for the listeners with the lock that their start waits for, behind the resync",
})

// A handler that is added before the listeners have started got its goroutine watchSynced at once. Removed again, it
// has no listener that would end it, and Run waits for all goroutines.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-137296", Issue: "kubernetes/kubernetes#137296", FixedIn: testbed.Fix("client-go", "0.36"),
	Summary:  "an informer whose handler was added and removed before the listeners had started never stops",
	Setting:  "informer-sync-watch=always",
	Scenario: scenarios.HandlersStart, Property: informers.HandlersRest,
	Why: "the informer is stopped before it has synced, and Run waits for a goroutine that waits for that",
})

// The objects of a list were deltas of the type Sync, as those of a resync are. The delta type Replaced tells them
// apart.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-86015", Issue: "kubernetes/kubernetes#86015", FixedIn: testbed.Fix("client-go", "0.18"),
	Summary:  "what an informer learns by listing again is told only to handlers whose resync is due",
	Setting:  "informer-relist=resync",
	Scenario: scenarios.HandlersResync, Property: informers.HandlerKnows,
	Why:        "the other handlers do not hear of what was added or has changed while the informer had no watch",
	Further:    []*testbed.Property{informers.HandlerOrder, informers.HandlerResyncs},
	WhyFurther: "the next change, and the next resync, are of a state that the handler does not know",
})

// Before client-go 0.36 the queue was locked while deltas were processed, so that a resync could look at both
// store and queue. Since then it must not take anything out of the store: what is taken may be old when it is
// processed.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-resync-resurrects",
	Summary:  "a resync queues the objects of the store, and brings back what is deleted before they are processed",
	Setting:  "informer-resync-takes=queued",
	Scenario: scenarios.Handlers, Property: informers.MatchEtcd,
	Why:        "an object that was deleted, or its earlier state, is put into the store again",
	Further:    []*testbed.Property{informers.Monotonic, informers.HandlerSynced, informers.HandlersRest},
	WhyFurther: "the resourceVersion of the store becomes that of the old object, which stays if nothing follows",
})

// determineResyncPeriod is given the period of the informer twice in the port to Java.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "informer-resyncs-at-each-look", Issue: "kubernetes-client/java#2219",
	Summary:  "a handler with a resync period of its own gets a resync whenever the informer looks whose period is over",
	Setting:  "informer-handler-period=checks",
	Scenario: scenarios.HandlersResync, Property: informers.HandlerResyncs,
	Why: "the handler is told once more before its period is over",
})

// The queue counts the first list down, and has synced at 0. That was under its lock, until client-go 0.36
// processed without it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-synced-too-early",
	Summary:  "an informer has synced when its first list is taken off the queue, before the list is in the store",
	Setting:  "informer-counts=before",
	Scenario: scenarios.HandlersStart, Property: informers.HandlerSynced,
	Why: "controllers begin although handlers have not been told of what there is",
})
