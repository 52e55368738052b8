package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// shardClaims are what informers of shards are held to, shardDraws how they divide the objects, how they ask, and what
// goes wrong meanwhile.
var (
	shardClaims = append([]*testbed.Property{informers.ShardsAreWhole}, Claims...)
	shardDraws  = option.Ranges(`informers=2|3 informer-reshards=0|2 informer-list=list-watch|watch-list
		informer-rv=unset informer-page=1|2 informer-breaks=0|2 informer-restarts=0|1
		writes=2|6 items=0|3 keys=2|4 namespaces=0|2 watch-delegation=unset|all restarts=0|1 breaks=0|2 compactions=0|2`)
)

var Shards = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-shards",
	Summary: "informers divide the objects by the hash of a field, and their bounds move while they follow: together they hold everything, and nothing twice (KEP-5866)",
	Doc: `A LIST or WATCH names a range of hashes (shardSelector), and the API server tests it where it tests selectors: in the
cache, on etcd's answers, and on both states of a change. A continue token says nothing of it, so that each page names it again,
and a bookmark is for all shards. Each informer learns at a time of its own that its bounds have moved, and begins anew: in
between an object may be with two informers or with none, which the document leaves to programs. Behind that the informers are
judged together, without a hash. A change may move an object to another shard here, as that of spec.nodeName would, of which the
document thinks for later. With informer-shards=uid only an object that is created anew can be in another shard than before.
The hash is FNV-1a, which hardly mixes the last characters into the first bits: of the namespaces team-1 to team-100 two equal
shards have 90 and 10, though the document says that the hash makes sequential values uniform.`,
	Params: testbed.With(`etcd=3.6.16 cache=v0.38.0-beta.0 caches=1
		writers=2 writes=4 deletes=true read=consistent keys=3 items=3 informers=2 informer-shards=writer informer-reshards=2
		informer-rv=unset informer-page=1 informer-breaks=1 informer-restarts=1 to-rest=true steps=40000`),
	Draws:  append(option.Ranges("informer-shards=uid"), shardDraws...),
	About:  testbed.Reaches{"informer: begun anew with another shard": 80, "informer: list of several pages": 50},
	Active: testbed.Active{"shards=ignored": ""},
	Claims: shardClaims,
	Known: slices.Concat(shardsKnown,
		known.When(known.ShardsMove, known.ShardsIgnored).Violates(informers.MatchEtcd, informers.ShardsAreWhole, informers.CatchUp).
			Because("a server that does not know shards sends a change, and an informer that asks of its object alone does not see it leave the shard")),
})

var ShardSkew = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-shard-skew",
	Summary: "an API server that does not know shards beside one that does: informers move between them and leave out what is not theirs (KEP-5866)",
	Doc: `The gate ShardedListAndWatch is off in the first API server, as before Kubernetes 1.38 ("Version Skew Strategy"): it
sends everything, and its lists do not say of which shard they are. client-go 1.38 (NewShardedListWatch) then leaves out what is
not of the shard, of a list as well as of a watch, where it asks of an event's own object whether it is. That is enough as long
as no change moves an object. Where one does (--set shards=ignored of informer-shards), the change that takes an object out of
the shard is left out, too, and the informer keeps the object for ever: a key that can change, such as spec.nodeName, needs
another way back than this one.`,
	Params: Shards.Params.But(`caches=2 server-settings=cache-1:shards=ignored informer-shards=uid informer-list=watch-list
		informer-breaks=3`),
	Draws:  shardDraws,
	About:  testbed.Reaches{"informer: event of another shard left out": 70},
	Claims: append([]*testbed.Property{watches.InitialEvents}, shardClaims...),
	Known:  slices.Concat(shardsKnown, known.BackInTime(watches.InitialEvents), neverSynced(informers.CatchUp, informers.ShardsAreWhole)),
})

// shardsKnown is what other informers violate as well.
var shardsKnown = slices.Concat(known.BackInTime(append([]*testbed.Property{informers.ShardsAreWhole}, contentClaims...)...), known.StaleRelist())
