package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// writeClaims are those of all writes through API servers.
var writeClaims = []*testbed.Property{
	NoLostUpdates, WriteAnswers, reads.Linearizable, reads.LinearizableData,
	caches.MatchEtcd, caches.NothingLeft, caches.ClientNothingLeft, etcdapi.NothingLeft, caches.CatchUp,
}

var GuaranteedUpdates = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guaranteed-updates",
	Summary: "clients add to the same objects through two API servers, whose caches are behind: no update is lost",
	Doc: `Each update begins with the object that the cache has. If that is an old one the transaction fails, and brings the new one along.
Connections break, and an API server restarts: what became of the writes under way, clients do not know.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2 client-kv=true
		readers=1 reads=3 gets=2 read=consistent keys=2 items=2 await-ready=true updaters=3 updates=3 update=add
		breaks=1 restarts=1 call-breaks=1 to-rest=true steps=20000`),
	Draws:  option.Ranges(`update=add|every updaters=1|2|4 updates=1|5|12 items=0|1 breaks=0|2 restarts=0|2`),
	About:  testbed.Reaches{"cache: transaction of a write failed because its suggestion was old": 75},
	Claims: writeClaims,
	Known:  outdatedObjects(),
})

var ObjectWrites = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "object-writes",
	Summary: "clients create objects, update them under all conditions and delete them, through API servers whose caches are behind",
	Doc: `Preconditions, updates that require a resourceVersion, updates that change nothing, and deletions of objects that must be in a certain
state: what is found wrong with the object of the cache is looked at in etcd before the client is told.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 caches=2
		readers=1 reads=2 gets=2 read=consistent keys=2 items=1 await-ready=true updaters=3 updates=10 update=every
		breaks=1 to-rest=true steps=20000`),
	Draws: option.Ranges(`updaters=1|2|4 updates=5|20 items=0|2 breaks=0|2 restarts=0|1`),
	About: testbed.Reaches{
		"cache: update that changes nothing": 80, "cache: write asks etcd whether its suggestion is old": 80,
	},
	Claims: slices.Concat([]*testbed.Property{WriteRefusals, NotFoundVersions}, writeClaims),
	Known: slices.Concat(outdatedObjects(),
		known.When(known.NotFoundUnversioned).Violates(NotFoundVersions).
			Because("as v0.37.2 ships it, the error that there is no object says resourceVersion 0 (kubernetes/kubernetes#138724)"),
	),
})

func outdatedObjects() []testbed.Row {
	return slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	)
}
