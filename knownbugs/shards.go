package knownbugs

import (
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	informerscenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// ofShards are mistakes with shards (KEP-5866), which no release is known to have had.
var ofShards = []*testbed.KnownBug{{
	Name:    "shard-end-included",
	Summary: "the object whose hash is the end of a shard is in that shard and in the next one",
	Setting: "shards=end-included",
	Why:     "two informers hold the object on their bound",
}, {
	Name:    "shard-of-last-state",
	Summary: "a watch of a shard asks of an object's last state only whether it is in the shard: a change that takes the object out of it is not sent",
	Setting: "shards=last-state",
	Why:     "the informer that the object has left keeps it, and the one that it has come to has it, too",
}, {
	Name:    "shard-of-first-page",
	Summary: "the pages of a list after the first have the objects of all shards, and say that they are of one",
	Setting: "shards=first-page",
	Why:     "an informer leaves nothing out of a list that is said to be of its shard",
}, {
	Name:    "shard-of-cache",
	Summary: "a list that etcd answers has the objects of all shards, and says that it is of one",
	Setting: "shards=unless-delegated",
	Why:     "an informer leaves nothing out of a list that is said to be of its shard",
}}

func init() {
	for _, b := range ofShards {
		b.Scenario, b.Property = informerscenarios.Shards, informers.ShardsAreWhole
		b.Further = []*testbed.Property{informers.MatchEtcd, informers.CatchUp}
		b.WhyFurther = "an informer that has an object of another shard is sent no deletion of it"
		testbed.RegisterKnownBug(b)
	}
}

// An informer is safe from this one, since it looks at each event again.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "shard-of-changes",
	Summary:  "a watch of a shard begins with objects and events of all shards",
	Setting:  "shards=changes",
	Scenario: scenarios.ShardedRequests, Property: watches.Reliable,
	Why:        "the client is sent events of objects that it does not watch",
	Further:    []*testbed.Property{watches.Resumable, watches.EventTypes, watches.InitialEvents},
	WhyFurther: "what it is sent is of other objects at the end of the initial events, too, and where it begins again",
	Unsearched: "two watches of a shard each and one write are 54,021 states, of which none without the mistake puts reliable " +
		"to the test: that takes two changes of one shard",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-takes-all-shards",
	Summary:  "an informer takes what a server sends that does not know shards for objects of its own shard",
	Setting:  "informer-other-shards=taken",
	Scenario: informerscenarios.ShardSkew, Property: informers.ShardsAreWhole,
	Why:        "the list of such a server has all objects, and its watch all events",
	Further:    []*testbed.Property{informers.MatchEtcd, informers.CatchUp, watches.InitialEvents},
	WhyFurther: "the informer holds more than its shard",
})
