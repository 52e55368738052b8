package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var ObjectsAtOnce = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "objects-at-once",
	Summary: "other clients of etcd change several objects at one revision, and clients of caches that read, leave or come back in its middle lose the rest",
	Doc: `An API server changes one object at a revision, and all that resumes a watch relies on that. The keys of a lease are deleted together,
and other clients of etcd have transactions (kubernetes/kubernetes#110210). etcd sends the events of a revision in one response. The cache
takes them in one by one: with the first it is at their resourceVersion, its clients read a state that never was, and a client that leaves or
begins behind the first goes on behind all. A cache whose watch ends with an error and an informer resume in the same way, and never hear of
the others. What is promised all the same: no event comes twice or out of order, and a revision that is over when a watch begins comes
whole: objects-at-once-followed.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=1
		writers=2 writes=4 deletes-all=true wide=true readers=1 reads=3 read=consistent watchers=2 leave=1 informers=1 keys=3 items=2 await-ready=true
		leader-losses=1 stream-ends=1 informer-breaks=2 to-rest=true steps=20000`),
	About: testbed.Reaches{"cache: watch begins in the history": 80, "informer: watch resumed": 60, "cache: watch started again after an internal error": 50},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.Bookmarkable, watches.EventTypes, watches.KeepUp,
		caches.MatchEtcd, caches.CatchUp, caches.NothingLeft, caches.JustifiedRefusals, caches.Resumes, informers.MatchEtcd, informers.CatchUp,
		informers.Resumes, reads.Linearizable, reads.LinearizableData,
	},
	Known: slices.Concat(
		known.InTheMiddle(watches.Resumable, caches.MatchEtcd, informers.MatchEtcd),
		known.Rarely(known.InTheMiddle(watches.Bookmarkable, watches.Reliable, watches.KeepUp, watches.EventTypes, caches.CatchUp, informers.CatchUp,
			reads.Linearizable, reads.LinearizableData)),
		known.CatchingUpInTheMiddle(watches.Unique),
	),
})

var FollowedAtOnce = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "objects-at-once-followed",
	Summary: "as objects-at-once, with a clock: caches, informers and clients that watch from before the first write are sent every object of each revision",
	Doc: `A watch that nothing interrupts has no middle of a revision to begin in. Each event of a revision comes once, in the order of the
revisions, and in the end caches and informers have everything, whatever a cache is for the few milliseconds in between.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2
		writers=2 writes=5 deletes=true deletes-all=true wide=true read=consistent watchers=3 informers=2 keys=3 items=2 think=2s write-from=5s
		mode=timed network=2ms scheduling=1ms horizon=40s steps=200000`),
	About: testbed.Reaches{"etcd: synced watcher notified": 95},
	Claims: []*testbed.Property{
		watches.Ordered, watches.Unique, watches.Reliable, watches.Resumable, watches.EventTypes, informers.CatchUp,
		informers.Monotonic, informers.Resumes,
	},
	Known: slices.Concat(
		known.When(known.ServedInPasses, known.SeveralAtOnce).Violates(watches.Reliable, informers.CatchUp).
			Because("events at the position of a watch are skipped, and the first object of a revision takes the position there (KEP-6268, revised)"),
		known.CatchingUpInTheMiddle(watches.Unique, watches.Reliable, informers.CatchUp),
	),
})
