// Package writes (unstable) holds scenarios in which clients write through API servers, each of
// which hands the object of its cache on to the storage as a suggestion, and what must hold there.
//
// The package must never import package scenarios, which lists these among its own.
package writes

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// claims are those of all writes through API servers.
var claims = []*testbed.Property{
	NoLostUpdates, Answers, reads.Linearizable, reads.LinearizableData,
	caches.MatchEtcd, caches.NothingLeft,
}

var Updates = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "guaranteed-updates",
	Summary: "clients add to the same objects through two API servers, whose caches are behind: no update is lost",
	Doc: `Each update begins with the object that the cache has. If that is an old one the transaction fails, and brings the new one along.
Connections break, and an API server restarts: what became of the writes under way, clients do not know.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2, ClientKV: true},
		Workload: workload.Options{
			Updating: workload.UpdatingOptions{Clients: 3, Updates: 3, Kind: "add"},
			Readers:  1, Reads: 3, Gets: 2, Read: "consistent", AwaitReady: true, Keys: 2, Items: 2,
		},
		Faults: faults.Options{Breaks: 1, CallBreaks: 1, Restarts: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Draws: []option.Range{
		option.From("update", "add", "every"), option.From("updaters", "1", "2", "4"), option.From("updates", "1", "5", "12"),
		option.From("items", "0", "1"), option.From("breaks", "0", "2"), option.From("restarts", "0", "2"),
	},
	Claims: claims,
	Known:  outdated(),
})

var Objects = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "object-writes",
	Summary: "clients create objects, update them under all conditions and delete them, through API servers whose caches are behind",
	Doc: `Preconditions, updates that require a resourceVersion, updates that change nothing, and deletions of objects that must be in a certain
state: what is found wrong with the object of the cache is looked at in etcd before the client is told.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Updating: workload.UpdatingOptions{Clients: 3, Updates: 10, Kind: "every"},
			Readers:  1, Reads: 2, Gets: 2, Read: "consistent", AwaitReady: true, Keys: 2, Items: 1,
		},
		Faults: faults.Options{Breaks: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Draws: []option.Range{
		option.From("updaters", "1", "2", "4"), option.From("updates", "5", "20"),
		option.From("items", "0", "2"), option.From("breaks", "0", "2"), option.From("restarts", "0", "1"),
	},
	Claims: slices.Concat([]*testbed.Property{Refusals, NotFoundVersions}, claims),
	Known: slices.Concat(outdated(),
		known.When(known.NotFoundUnversioned).Violates(NotFoundVersions).
			Because("as v0.37.2 ships it, the error that there is no object says resourceVersion 0 (kubernetes/kubernetes#138724)"),
	),
})

func outdated() []testbed.Row {
	return slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	)
}
