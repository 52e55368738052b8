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
	NoLostUpdates, WriteAnswers, WritesAskOnce, reads.Linearizable, reads.LinearizableData,
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
		"cache: update that changes nothing": 80, "cache: write looks whether its suggestion is old": 80,
	},
	Active: testbed.Active{"write-state=cache": "", "not-found-rv=none": ""},
	Claims: slices.Concat([]*testbed.Property{WriteRefusals, NotFoundVersions}, writeClaims),
	Known:  objectWrites(),
})

var CachedWrites = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "cached-writes",
	Summary: "clients write objects through API servers that take them from their caches, and GET them there (KEP-6404)",
	Doc: `As object-writes, but no write reads etcd: after a conflict the cache waits for the revision of that, and after a check that failed for
etcd's. Waits end too early, the write then starts over in etcd; caches are replaced under writes, and API servers restart.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-6404 caches=2
		readers=1 reads=2 gets=2 read=consistent keys=2 items=1 await-ready=true updaters=3 updates=10 update=every
		breaks=1 recreations=1 restarts=1 timeouts=2 to-rest=true steps=20000`),
	Draws: option.Ranges(`updaters=1|2|4 updates=5|20 update=every|recreate keys=1|2 items=0|2 breaks=0|2
		recreations=0|1 restarts=0|1 timeouts=0|1|4 on-timeout=fallback|throttle write-state=cache|etcd get-unset=cache|etcd`),
	About: testbed.Reaches{
		"cache: write waits in the cache after a conflict": 80, "cache: write starts over in etcd, since the cache is not fresh in time": 20,
	},
	Claims: slices.Concat([]*testbed.Property{WriteRefusals, NotFoundVersions, caches.ServedAsPromised}, writeClaims),
	Known:  slices.Concat(objectWrites(), known.EchoOfPredecessor(reads.Linearizable, reads.LinearizableData)),
})

var RecreatedObjects = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "recreated-objects",
	Summary: "clients create and delete one object through API servers that take it from their caches (KEP-6404)",
	Doc: `Each update creates the object if there is none. After a conflict there may be none again: then it is as it was before, which is no
error of the cache.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-6404 caches=2
		readers=1 reads=2 gets=2 read=consistent keys=1 await-ready=true updaters=6 updates=20 update=recreate to-rest=true steps=20000`),
	Draws: option.Ranges(`updaters=2|3|4 updates=5|10 breaks=0|2 restarts=0|1 recreations=0|1 timeouts=0|2 items=0|1
		reads=1|2 gets=0|2 on-timeout=fallback|throttle write-state=cache|etcd get-unset=cache|etcd caches=1|2`),
	About:  testbed.Reaches{"cache: write waits in the cache after a conflict": 90, "cache: creation finds no object after its conflict": 2},
	Claims: slices.Concat([]*testbed.Property{WriteRefusals, NotFoundVersions}, writeClaims),
	Known:  objectWrites(),
})

var QuietWrites = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "quiet-writes",
	Summary: "clients write objects that nothing else changes, through a cache that waits for progress where etcd sent none (KEP-6404)",
	Doc: `As issue-17507, with writes. A write that finds its object otherwise than it must be asks etcd for its revision, and waits until the
cache is there. Where progress never comes (etcd-io/etcd#17507) it waits for 3 s, and starts over in etcd: it is answered, and late.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-6404 caches=1 noise=1 noise-writes=20 noise-for=200ms readers=0 updaters=2 updates=1 update=every
		keys=2 items=1 await-ready=true think=100ms mode=timed network=1ms scheduling=500us horizon=30s steps=200000`),
	Draws:  option.Ranges(`updaters=2|3|4 updates=1|6|12 noise-writes=10|40 write-state=cache|etcd`),
	About:  testbed.Reaches{"etcd: unsynced watcher synced without a word": 50},
	Claims: []*testbed.Property{WritesInTime, WriteRefusals},
	Known: slices.Concat(known.OutdatedStates(WriteRefusals),
		known.When(known.DefersProgress, known.StatesFromCache, known.TrustsEtcd).Violates(WritesInTime).
			Because("a write whose check failed waits for progress that etcd never sends, for 3 s (etcd-io/etcd#17507)")),
})

func objectWrites() []testbed.Row {
	return slices.Concat(outdatedObjects(), known.OutdatedStates(WriteRefusals, NotFoundVersions),
		known.When(known.NotFoundUnversioned).Violates(NotFoundVersions).
			Because("as v0.37.2 ships it, the error that there is no object says resourceVersion 0 (kubernetes/kubernetes#138724)"),
	)
}

func outdatedObjects() []testbed.Row {
	return slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	)
}

var WriteStorm = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "write-storm",
	Summary: "what it costs when sixteen clients update one object at a time, with the cache's objects (KEP-6404) and with etcd's",
	Doc: `Each update adds to the object, so that of those under way one succeeds and the others try again. --set updaters=64 makes it worse,
--cache v0.38.0-beta.0 has etcd's object come with each refusal. Compare write_attempts_total, write_duration_seconds, and the bytes of transactions.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-6404 caches=1 keys=1 items=1 await-ready=true updaters=16 updates=4 update=add readers=0
		mode=timed network=1ms scheduling=500us horizon=1m steps=1000000`),
	About:  testbed.Reaches{"cache: write waits in the cache after a conflict": 95},
	Claims: []*testbed.Property{NoLostUpdates, WriteAnswers},
})
