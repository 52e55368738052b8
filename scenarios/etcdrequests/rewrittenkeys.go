package etcdrequests

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var RewrittenKeys = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rewritten-keys",
	Summary: "a client deletes all keys and puts them again in one transaction, and etcd compacts at its newest revision",
	Doc: `A transaction may delete a key and put it again if its deletion ends at "\x00": etcd does not see then that the two meet. The key has
a deletion and a value at one revision. A compaction at that revision has to keep the value. Since 3.4.34 and 3.5.16 it keeps the deletion
alone (etcd-io/etcd#22376, open): a read that finds the value in the index and not in the backend ends the process, and the next one does
not have the key. The release here, 3.5.15, is the newest without the bug.`,
	Params: testbed.Params{
		Etcd: "3.5.15", Cache: "direct",
		Topology: topology.Options{Servers: 1},
		Workload: workload.Options{
			Writers: 1, Writes: 4, Rewrites: true, Readers: 1, Reads: 2, Read: "consistent", Keys: 2, Items: 2,
			Compactions: 2, CompactNewest: true,
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Draws: []option.Range{
		option.From("keys", "1", "4"), option.From("items", "0", "4"), option.From("writes", "2", "8"), option.From("reads", "1", "4"),
		option.From("compactions", "1", "4"), option.From("deletes", "true"), option.From("etcd-restarts", "1"),
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, etcdapi.Answers},
	Known: known.When(known.CompactionLosesKey).Violates(reads.Linearizable, reads.LinearizableData, etcdapi.Answers).
		Because("a compaction loses a key that its revision deletes and puts again (etcd-io/etcd#22376)"),
})
