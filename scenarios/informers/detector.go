package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var Detector = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-detector",
	Summary: "the reflector compares what it was streamed with an exact list, in front of a cache that has lost an event",
	Doc: `client-go's data consistency detector (KUBE_WATCHLIST_INCONSISTENCY_DETECTOR) before a cache that has lost an event on the
way from etcd. An informer that streams its list from that cache afterwards has to panic; no other informer may. The detector
does not look at what comes later on the stream. client-go assumes that an exact list comes from etcd; a cache with snapshots
(KEP-4988, Kubernetes 1.34 and later) answers it from the same state that it has streamed, and the detector finds nothing.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
		writers=2 writes=3 read=consistent keys=2 items=1 informers=3 informer-list=watch-list informer-check=true
		lost-events=1 informer-restarts=2 to-rest=true steps=20000`),
	About: testbed.Reaches{
		"informer: streamed list compared and equal": 70, "informer: streamed list compared and different": 10,
	},
	Claims: []*testbed.Property{informers.DetectorAccuracy, informers.MatchEtcd},
	Known: slices.Concat(
		known.When().Violates(informers.MatchEtcd).
			Because("an event is lost, and a difference that comes after the list is not looked for"),
		known.When().RarelyViolates(testbed.ComingToRest).
			Because("the cache does not reach the revision of a lost event as long as etcd drops its progress requests, and refuses streams"),
		known.When(known.KeepsSnapshots, known.TrustsEtcd).Violates(informers.DetectorAccuracy).
			Because("the exact list of the detector is answered from the same state that was streamed"),
	),
})

var LateDetector = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-late-check",
	Summary: "API servers have no seat for the detector's LIST for many minutes: its watch has timed out when the comparison passes, and is resumed",
	Doc: `With a clock. While the reflector compares what it was streamed it does not read its watch, which ends after five to ten
minutes. API Priority and Fairness refuses the LIST with a Retry-After of half a minute, again and again; running watches go on. When the
comparison has passed, the informer finds its watch gone, and has to watch again from the bookmark that ended the initial events.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2
		writers=1 writes=6 deletes=true noise=1 noise-writes=10 noise-for=1m read=consistent keys=2 items=3 think=4m
		informers=2 informer-list=watch-list informer-check=true
		informer-restarts=2 informer-overloads=60 faults-for=25m mode=timed network=1ms scheduling=500us horizon=50m
		steps=200000`),
	About:  testbed.Reaches{"informer: list for the comparison refused": 45},
	Claims: append([]*testbed.Property{informers.DetectorAccuracy}, Claims...),
	Known: slices.Concat(
		known.BackInTime(contentClaims...),
		known.Rarely(known.StaleRelist()),
	),
})
