package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	scenarioinformers "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/testbed"
)

// What upstream's timeBudget earns and gets back is bounded at two places. Without both a
// dispatcher that nothing held up for an hour waits three minutes for the first watch that
// does not read, and all other watches of the cache wait with it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "budget-unbounded",
	Summary:  "a dispatcher saves all the time for which it did not have to wait, and may wait that long for one watch",
	Setting:  "dispatch-budget=unbounded",
	Scenario: scenarios.WatchListHeldUp, Property: caches.TimersOwned,
	Why: "as long as the watch reads again in time, nothing else shows it",
})

// No release of Kubernetes is known to have had this one: the handler of an API server writes
// the HTTP 200 when Cacher.Watch has returned. A shell around the cache that did not wait for
// that lost writes.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "established-early",
	Summary:  "a watch from now on is answered 200 before its beginning is fixed: writes of those who rely on it are lost",
	Setting:  "watch-established=accepted",
	Scenario: scenarios.WatchListEstablished, Property: watches.Established,
	Why: "the watch begins behind a write that came after the 200, and is never sent it",
})

// The cache in etcd's client library compared the revision of a new watch with the
// newest event that it had (demux.Register). While it had none it accepted any.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "etcd-20488", Issue: "etcd-io/etcd#20488", FixedIn: testbed.Fix("etcd", "3.7"),
	Summary:  "a watch from any revision is accepted while the history is empty, and resumes with events missing",
	Setting:  "empty-history=takes-any",
	Scenario: scenarios.ResumedWatch, Property: watches.Resumable,
	Why:        "the guarantee that etcd's own robustness tests found broken",
	Further:    []*testbed.Property{watches.Bookmarkable},
	WhyFurther: "a bookmark says that all events up to it were sent, and the missing ones were not",
})

// Watchers that are served together have positions of their own. If the lowest of them decides
// for all, one client that has stopped reading ends the watches of clients that have just stalled.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "groups-expire-together",
	Summary:  "unsynced watchers age out together: the one that is furthest behind ends all of them with a 410",
	Setting:  "slow-watchers=groups-expire-together",
	Scenario: scenarios.StalledWatches, Property: caches.JustifiedRefusals,
	Why: "the history has every event that the other clients still need",
	Unsearched: "needs two watches that are behind by different lengths of a history which has lost what the first of them " +
		"wants: with two watches and four writes 59,449 states of stalled-watches are all that there are and no 410 is " +
		"among them, and with five writes and slow clients 306,361 states were found in 25 s",
})

var _ = dispatch.SlowWatchers.Register("groups-expire-together", "as groups, but the history is to have what the one furthest behind needs, or all end",
	&dispatch.CatchUp{InPasses: true, ExpireTogether: true})

// No cache is known to have had this one. An object that was changed since it was created
// has another mod_revision than create_revision, which is what tells MODIFIED from ADDED in
// an event of etcd.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "initial-type-of-last-change",
	Summary:  "an initial event of an object that was changed since it was created is MODIFIED",
	Setting:  "initial-type=last-change",
	Scenario: scenarios.AnyRequests, Property: watches.EventTypes,
	Why: "the object and its resourceVersion are right; the client had never seen it",
})

// A watch took its initial events from one generation of the cache and was
// registered in the next. The events between the two reached it in no way.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-116122", Issue: "kubernetes/kubernetes#116122", FixedIn: testbed.Fix("Kubernetes", "1.27"),
	Summary:  "a watch that is registered while the cache starts over misses events",
	Setting:  "registration=unchecked",
	Scenario: scenarios.WatchDuringRelist, Property: watches.Resumable, Strategy: "pos",
	Why:        "the watch starts where its client asked, and the events up to the new list are missing",
	Further:    []*testbed.Property{watches.Bookmarkable},
	WhyFurther: "a bookmark says that all events up to it were sent, and the missing ones were not",
	Unsearched: "needs a cache that lists again while a client's watch is on its way, for which its own watch has to break and " +
		"two writes to be compacted: 104,645 states of watch-during-relist come to depth 17, and the run that shrinking " +
		"gives has 68 steps. A cache that is replaced (recreations=1), and streams that end in order, do not show it in " +
		"6,000 schedules each",
})

// A WatchList held a read lock of its own while it waited for the cache to be
// fresh, beside the one that cond.Wait gives back. The next event waited for the
// write lock, and every reader behind it, the WatchList included.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-117137", Issue: "kubernetes/kubernetes#117137", FixedIn: testbed.Fix("Kubernetes", "1.28"),
	Summary:  "a WatchList waits for a fresh cache while it holds the lock that the cache needs to become fresh",
	Setting:  "freshness-lock=held",
	Scenario: scenarios.WatchListEnds, Property: watches.InitialEventsEnd,
	Why: "the WatchList and every read behind it wait forever",
})

// What KEP-3157 describes was shipped first: the bookmark timer finds the end of
// the initial events, and no read waits meanwhile, so progress is not requested.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-122805", Issue: "kubernetes/kubernetes#122805", FixedIn: testbed.Fix("Kubernetes", "1.30"),
	Summary:  "a WatchList waits for a fresh cache, and etcd is not asked for progress: on a quiet range the bookmark that ends its initial events never comes",
	Setting:  "initial-events-end=timer",
	Scenario: scenarioinformers.ColdStart, Property: informers.CatchUp,
	Why: "nothing more can happen, and an informer still waits for the end of its list",
})

// A client leaves while the dispatcher waits for room in its watcher's channel, which the end of
// its initial events is in. The stop is put off until the event is dispatched; meanwhile the time
// for the watcher is over, and it is to be drained. In the end only its input is closed: its
// goroutine waits for ever for room in the result channel, which its client has stopped to read.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-137631", Issue: "kubernetes/kubernetes#137631",
	Summary:  "a watcher that its client has left is drained after all, and its goroutine never ends",
	Setting:  "hard-stop=reopened",
	Scenario: scenarios.StalledWatchesEnd, Property: caches.NothingLeft,
	Why: "no client is there that could miss anything",
	Unsearched: "needs a watch that is ended while its channel is full, and whose client leaves then: with one watch, one " +
		"client that stops reading and three writes, 321,324 states of stalled-watches-end were found in 25 s, and none " +
		"of them shows it",
})

// While the ring of events was empty, the oldest resourceVersion from which a
// watch was accepted was one too low.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-49956", Issue: "kubernetes/kubernetes#49956", FixedIn: testbed.Fix("Kubernetes", "1.8"),
	Summary:  "a watch from one revision before a list is accepted while the history is empty, and misses an event",
	Setting:  "empty-history=off-by-one",
	Scenario: scenarios.ResumedWatch, Property: watches.Resumable,
	Why:        "the missed event is the first that the new watch should have been sent",
	Further:    []*testbed.Property{watches.Bookmarkable},
	WhyFurther: "a bookmark says that all events up to it were sent, and the missed one was not",
})

// A DELETED event carried the object as it was before, its resourceVersion
// included, and a client resumes from the resourceVersion that it saw last.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-58545", Issue: "kubernetes/kubernetes#58545", FixedIn: testbed.Fix("Kubernetes", "1.10"),
	Summary:  "DELETED carries the resourceVersion from before the deletion; a client that resumes from there is sent old events again",
	Setting:  "deletion-rv=previous",
	Scenario: scenarios.ResumedWatch, Property: watches.Ordered,
	Why:        "the deletion comes with an older resourceVersion than events before it",
	Further:    []*testbed.Property{watches.Reliable, watches.Resumable, watches.Bookmarkable},
	WhyFurther: "the deletion is not the event that etcd has, and a client resumes from its resourceVersion",
})

// When the definition of a custom resource changed, its cache was replaced by a
// new one, and the watches of the old one were not ended.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-78029", Issue: "kubernetes/kubernetes#78029", FixedIn: testbed.Fix("Kubernetes", "1.16"),
	Summary:  "watches stay open when their cache is replaced by a new one, and are sent nothing more",
	Setting:  "teardown=strands-watches",
	Scenario: scenarios.RecreatedCache, Property: informers.CatchUp,
	Why: "no event is wrong and none is out of order: an open watch is sent nothing",
})

// A watcher stalls again while it sends what it missed. The event that it misses then may be among
// those that it is sending, and later ones that it misses are not: the latch has one place, and
// stands for them as well.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "latch-covered",
	Summary:  "a watcher that stalls while it sends what it missed forgets the new miss, because it was sent that event from the history",
	Setting:  "slow-watchers=latch-covered",
	Scenario: scenarios.StalledRelist, Property: watches.KeepUp,
	Why:        "the events behind the one that was remembered are missing, until the next stall or for ever",
	Further:    []*testbed.Property{watches.Reliable, watches.Bookmarkable, watches.Resumable},
	WhyFurther: "what comes then shows the gap, and a bookmark says that there is none",
	Unsearched: "needs a watch that stalls again while it sends what it missed: with one slow client and five writes 63,773 " +
		"states of stalled-watches-relist are all that there are, and it does not stall twice in them",
})

var _ = dispatch.SlowWatchers.Register("latch-covered", "as latch, and what it missed is forgotten once it is behind its position",
	&dispatch.CatchUp{ForgetsCovered: true})

// A new watch takes its interval and is registered under both locks. One that is re-initialised
// and comes back to the registry when it has sent its interval has neither what was dispatched
// meanwhile nor a reason to look for it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "reinitialised-in-gap",
	Summary:  "a watcher that begins again comes back to the registry behind its interval, and misses what was dispatched in between",
	Setting:  "slow-watchers=reinitialised-in-gap",
	Scenario: scenarios.StalledWatches, Property: watches.KeepUp,
	Why:        "the watch is open, and nothing will bring the events that were dispatched while it was not registered",
	Further:    []*testbed.Property{watches.Reliable, watches.Bookmarkable, caches.WatchEnds},
	WhyFurther: "a later event shows the gap, and a bookmark says that there is none; as with slow-watchers=reinitialised a watch whose history is lost ends without a 410",
})

var _ = dispatch.SlowWatchers.Register("reinitialised-in-gap", "as reinitialised, but it comes back to the registry when its interval is sent",
	&dispatch.CatchUp{Leaves: true, ReturnsLate: true})

// When a watcher leaves the registry the history has the event that it missed. By the time that
// it begins again the history may have lost it, or have been replaced by that of a new list.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "reinitialised-unchecked",
	Summary:  "a watcher that begins again takes the history for what it was when it stalled, and skips what was evicted or replaced",
	Setting:  "slow-watchers=reinitialised-unchecked",
	Scenario: scenarios.StalledWatches, Property: watches.Reliable,
	Why:        "the first event that the history still has does not follow the last one that was sent",
	Further:    []*testbed.Property{watches.KeepUp, watches.Bookmarkable, caches.WatchEnds},
	WhyFurther: "what is missing is never sent, and a bookmark says that there is nothing; as with slow-watchers=reinitialised a watch whose history is lost ends without a 410",
})

var _ = dispatch.SlowWatchers.Register("reinitialised-unchecked", "as reinitialised, without another look at how far the history reaches back",
	&dispatch.CatchUp{Leaves: true, Unchecked: true})

// No cache is known to have had this one. The object in the event is the one after the
// change, so it is the first that comes to mind.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "trigger-of-new-value",
	Summary:  "a watch by a field is not given the event of an object that another value takes out of its selection: DELETED never comes",
	Setting:  "watch-trigger=after",
	Scenario: scenarios.SelectedLists, Property: watches.Reliable,
	Why:        "the watch goes on with later events, and lacks that one",
	Further:    []*testbed.Property{watches.KeepUp, watches.Resumable, watches.Bookmarkable},
	WhyFurther: "each of them misses the same event: after a while, or after the next event or bookmark",
})
