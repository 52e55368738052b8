package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// cascading: twenty clients of two API servers list about ten times a second together, which caches answer and etcd
// could not: it takes it a second to send the five objects. settle is what it takes where nothing cascades: 3 s for a
// read that has just begun to wait, 1 s until its client comes back, and 2 s for one list of each API server that etcd
// has still to answer.
var cascading = testbed.With(`etcd=3.5.13 cache=kep-2340-fallback range-time=1ms item-time=200ms shared-connection=true caches=2
	noise=1 noise-writes=60 noise-for=30s read=consistent await-ready=true items=5 keys=5 think=4s
	pollers=20 patience=10s honour=true settle=6s
	faults-for=8s clog=true mode=timed network=1ms scheduling=500us horizon=30s steps=200000`)

const cascadeDoc = `The watch of one of two API servers is clogged for up to eight seconds, while other resources are written. Its cache is
stale, and every consistent LIST there times out after three seconds. KEP-2340 expects a cascading failure if such reads
fall back to etcd. The model has what a cascade needs: etcd serves one read at a time, what it sends to watches waits behind the
answers to reads (etcd-io/etcd#15402), and clients that lose patience ask again. Figures are in scenarios/guards.md.`

// overloaded: the lists go to etcd without any fault, which it can bear at no time, or
// the cache never hears of progress.
var overloaded = slices.Concat(
	known.When(known.BypassesCache).Violates(reads.RecoversInTime).
		Because("etcd answers all lists, and cannot bear them"),
	known.When(known.AwaitsNotifications).Violates(reads.RecoversInTime).
		Because("until etcd sends its first progress notification it answers all lists, and cannot bear them"),
	known.When(known.FindsEtcdTooOld, testbed.Unless(known.ServesStale)).Violates(reads.RecoversInTime).
		Because("an etcd that is not trusted answers all lists, and cannot bear them"),
	known.When(known.DefersProgress, known.RequestsProgress, known.TrustsEtcd, testbed.Unless(known.ServesStale)).Violates(reads.RecoversInTime).
		Because("progress never comes on a quiet range (etcd-io/etcd#17507)"),
	known.UnknownRequests(known.WaitsUntilFresh, reads.RecoversInTime),
	known.When(known.EchoProves, known.NoProgressBelowStart).RarelyViolates(reads.RecoversInTime).
		Because("no echo comes for a watch that starts behind the store's revision, while nothing at all is written (the fix of etcd-io/etcd#20221)"),
)

var GuardCascade = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-cascade",
	Summary: "a clogged watch: if stale reads fall back to etcd, those of the other API server fail too, and go on failing after the fault",
	Doc: cascadeDoc + `
The reads that fall back keep etcd busy, so that the other API server cannot read etcd's revision, nor hear of progress in
time: its cache is taken for stale, too, and adds its own reads. It ends when the work is done that clients have long given
up. Rejecting the reads (on-timeout=reject, throttle) harms no other client, and all reads are answered again a few seconds
after the fault.`,
	Params: cascading,
	About:  testbed.Reaches{"etcd: response to a watch waits behind the answers to reads": 80},
	Claims: []*testbed.Property{reads.RecoversInTime, caches.NeededProgress},
	Known: slices.Concat(
		overloaded,
		known.When(known.FallsBack, known.TrustsEtcd, testbed.Unless(known.ServesStale)).Violates(reads.RecoversInTime).
			Because("reads that fall back keep etcd so busy that the other cache is not fresh in time either"),
	),
})

var GuardCascadeLimited = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guard-cascade-limited",
	Summary: "the same with a limit on lists that are with etcd, and 429 for the rest: the other API server never notices",
	Doc: cascadeDoc + `
Each API server lets one list at a time through to etcd, which API Priority and Fairness does not (seats-fallback), and answers
429 to the rest. The reads of both keep etcd busy for two seconds at most, which is less than the three after which a cache is
given up: nothing cascades. API servers x limit x time of a list < 3 s is enough. The draft of 2019 gives up after one second,
for which even this limit is too much.`,
	Params: cascading.But("delegated-limit=1"),
	About:  testbed.Reaches{"cache: list refused, too many are with etcd": 40},
	Active: testbed.Active{"settle=1ms": ""},
	Claims: []*testbed.Property{reads.RecoversInTime},
	Known: slices.Concat(
		overloaded,
		known.When(known.FallsBackWhileSlow).RarelyViolates(reads.RecoversInTime).
			Because("a wait of one second counts as slow, and etcd takes longer than that for its lists"),
	),
})
