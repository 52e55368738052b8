package scenarios

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/workload"
)

var NestedTransactions = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "nested-transactions",
	Summary: "clients of etcd's own API draw transactions within transactions, and puts that keep the value that is there, beside streams of watches",
	Doc: `The requests of any-etcd-requests, and two more. The compares of all levels of a transaction look at the contents before
the whole of it, and what an inner one writes the operations after it see. A put may keep the value of its key, which must exist when
the transaction begins. etcd looks for keys that are written twice at all levels together, and counts operations along each path. All
changes have one revision.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept progress-requests=periodic watch-options=with-watch
		read=consistent streams=2 keys=6 items=2 history=1 drawn-clients=4 drawn-requests=14 drawn-nested=true
		to-rest=true steps=20000`),
	Draws: option.Ranges(`keys=1|2|6 items=0|1|5 drawn-clients=1|2|4 drawn-requests=3|9 streams=1|3 history=0|3 lagging=true`),
	Stream: func(p *testbed.Params, i int) workload.EtcdWatchPlan {
		return plans.AnyWatches(&p.Workload, i)
	},
	About: testbed.Reaches{"etcd: put that keeps the value": 20, "etcd: transaction within another compares what that one has written": 25},
	Claims: []*testbed.Property{
		etcdapi.Answers, etcdapi.WatchAnswers, etcdapi.NothingLeft, reads.Linearizable, reads.LinearizableData,
		watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Resumable, watches.Filter, watches.KeepUp, watches.PrevKV,
	},
	Known: anyWatches(),
})

var RequestSizes = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "request-sizes",
	Summary: "clients of etcd's own API draw writes of which many are about as large as the largest one that etcd takes",
	Doc: `etcd refuses a write that is larger than max-request-bytes as it is proposed to raft. With 51 bytes a put of a short value fits
and that of a longer one does not, a delete of one key fits and that of all objects depends on what it asks to be told, and few
transactions fit. What only reads is no proposal, and is never too large.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept max-request-bytes=51
		read=consistent keys=3 items=2 history=1 drawn-clients=3 drawn-requests=8 drawn-bytes=8 steps=20000`),
	Draws: option.Ranges(`max-request-bytes=36|60|75|90|105|120|140 drawn-bytes=4|16|40 keys=1|2|4|6 items=0|1|5
		drawn-clients=1|2|4`),
	About:  testbed.Reaches{"etcd: write refused because it is too large": 55},
	Claims: []*testbed.Property{etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
})

var TransactionSizes = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "transaction-sizes",
	Summary: "clients of etcd's own API draw transactions of which about half are larger than the largest write that etcd takes",
	Doc: `In request-sizes few transactions fit. With 130 bytes each part of one decides: a compare with a value, the end of a range, the
revision of a read, and each operation of the branch that is not taken. A transaction that only reads is no proposal, however long
it is.`,
	Params: testbed.With(`etcd=3.6.16 cache=kep-2340 compact-recreated=kept max-request-bytes=130
		read=consistent keys=3 items=2 history=1 drawn-clients=4 drawn-requests=12 drawn-bytes=8 steps=20000`),
	Draws: option.Ranges(`max-request-bytes=100|110|120|140|150|160|180 drawn-bytes=4|12|16 keys=1|2|6 items=0|1|5
		drawn-clients=2|3|5`),
	About:  testbed.Reaches{"etcd: write refused because it is too large": 30},
	Claims: []*testbed.Property{etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
	Known: known.When(known.LeavesRangesOut, known.SeveralMembers).RarelyViolates(etcdapi.Answers, reads.AtMostOnce).
		Because("another member carries out a transaction that the one which was asked refuses for the revision of a range (etcd-io/etcd#18667)"),
})

var RewrittenKeys = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "rewritten-keys",
	Summary: "a client deletes all keys and puts them again in one transaction, and etcd compacts at its newest revision",
	Doc: `A transaction may delete a key and put it again if its deletion ends at "\x00": etcd does not see then that the two meet. The key has
a deletion and a value at one revision. A compaction at that revision has to keep the value. Since 3.4.34 and 3.5.16 it keeps the deletion
alone (etcd-io/etcd#22376, open): a read that finds the value in the index and not in the backend ends the process, and the next one does
not have the key. The release here, 3.5.15, is the newest without the bug.`,
	Params: testbed.With(`etcd=3.5.15 cache=direct caches=1
		writers=1 writes=4 rewrites=true readers=1 reads=2 read=consistent compactions=2 compact-newest=true keys=2
		items=2 steps=20000`),
	Draws: option.Ranges(`keys=1|4 items=0|4 writes=2|8 reads=1|4 compactions=1|4 deletes=true etcd-restarts=1`),
	About: testbed.Reaches{"etcd: previous value compacted": 7},
	Active: testbed.Active{
		"compact-recreated=kept": "etcd=3.6.16",
		"keys-only=from-index":   "etcd=3.6.16,drawn-clients=4,drawn-requests=8",
	},
	Claims: []*testbed.Property{reads.Linearizable, reads.LinearizableData, etcdapi.Answers},
	Known: known.When(known.CompactionLosesKey).Violates(reads.Linearizable, reads.LinearizableData, etcdapi.Answers).
		Because("a compaction loses a key that its revision deletes and puts again (etcd-io/etcd#22376)"),
})
