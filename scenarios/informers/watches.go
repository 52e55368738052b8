package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

var Resume = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-resume",
	Summary: "watches of informers break, and are resumed at the last resourceVersion",
	Doc: `An informer that is cut off watches again behind the last event or bookmark that it took. It must miss nothing and see
nothing twice, whichever way it listed.`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
		writers=2 writes=3 deletes=true noise=1 noise-writes=1 read=consistent keys=2 items=2 informers=2
		informer-breaks=4 to-rest=true steps=20000`),
	About: testbed.Reaches{
		"informer: watch resumed": 60, "informer: position moved by a bookmark": 55,
		"informer: list and watch again": 65,
	},
	Active: testbed.Active{"informer-list=watch-list": ""},
	Claims: Claims,
	Known:  slices.Concat(known.BackInTime(contentClaims...), known.StaleRelist()),
})

var Expired = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-expired",
	Summary: "the history that an informer needs is gone (410), or the API server is behind it (504): it lists again, then with RV=\"\"",
	Doc: `Caches remember two events, and etcd compacts. A watch that is resumed too late ends with 410. The list that follows names
the last resourceVersion: a cache that is as far serves it; one that is not answers 504 after three seconds, ten times with a
second in between. Only then does the informer ask for the newest state. KEP-3157's appendix has RV="" follow the first 410;
client-go does not. What happens where lists come in pages is in informer-relist-loop.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2 ring=2
		writers=2 writes=4 deletes=true noise=1 noise-writes=1 read=consistent compactions=2 keys=2 items=3
		informers=2 informer-breaks=4 to-rest=true steps=40000`),
	About: testbed.Reaches{
		"informer: watch ended by 410": 35, "informer: newest list after a refused resourceVersion": 1,
		"informer: watch resumed": 65,
	},
	Claims: Claims,
	Known:  slices.Concat(known.BackInTime(contentClaims...), known.StaleRelist()),
})

var RelistLoop = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-relist-loop",
	Summary: "an informer that once listed in pages never recovers from a 410: it lists the same old state for ever (kubernetes #133810)",
	Doc: `A cold cache has etcd answer the first list, in pages. From then on client-go lists in pages whatever it asks for
(paginatedResult), and a resourceVersion with a limit and without a match means exactly that one. So after a 410 the list
that was to be "at least as fresh" is the very state that the informer has, and the watch from there ends with 410 again,
until etcd compacts that revision five minutes later (kubernetes/kubernetes#133810, open). It holds with
informer-list=watch-list, where the first list fits a page, where a list says resourceVersionMatch=NotOlderThan
(informer-not-older=true), and in the flow of KEP-3157's appendix, in which RV="" follows the 410 at once
(informer-newest=true).`,
	Params: testbed.With(`etcd=3.5.13 cache=kep-2340 caches=1
		writers=1 writes=20 read=consistent keys=2 items=3 think=1s informers=1 informer-page=1
		restarts=2 faults-for=8s mode=timed network=1ms scheduling=500us horizon=4m steps=200000`),
	About:  testbed.Reaches{"informer: watch ended by 410": 10},
	Active: testbed.Active{"informer-not-older=true": ""},
	Claims: Claims,
	Known:  known.When().Violates(informers.CatchUp).Because(sameStateAgain),
})

const sameStateAgain = "an informer that once listed in pages asks for exactly the state that it has (kubernetes/kubernetes#133810)"
