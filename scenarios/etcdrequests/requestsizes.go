package etcdrequests

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
)

var RequestSizes = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "request-sizes",
	Summary: "clients of etcd's own API draw writes of which many are about as large as the largest one that etcd takes",
	Doc: `etcd refuses a write that is larger than max-request-bytes as it is proposed to raft. With 51 bytes a put of a short value fits
and that of a longer one does not, a delete of one key fits and that of all objects depends on what it asks to be told, and few
transactions fit. What only reads is no proposal, and is never too large.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("max-request-bytes=51"),
		Workload: workload.Options{
			Read: "consistent", Keys: 3, Items: 2, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 3, Requests: 8, LargeBytes: 8},
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Draws: []option.Range{
		option.From("max-request-bytes", "36", "60", "75", "90", "105", "120", "140"), option.From("drawn-bytes", "4", "16", "40"),
		option.From("keys", "1", "2", "4", "6"), option.From("items", "0", "1", "5"), option.From("drawn-clients", "1", "2", "4"),
	},
	Claims: []*testbed.Property{etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
})

var TransactionSizes = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "transaction-sizes",
	Summary: "clients of etcd's own API draw transactions of which about half are larger than the largest write that etcd takes",
	Doc: `In request-sizes few transactions fit. With 130 bytes each part of one decides: a compare with a value, the end of a range, the
revision of a read, and each operation of the branch that is not taken. A transaction that only reads is no proposal, however long
it is.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Settings: option.Settings("max-request-bytes=130"),
		Workload: workload.Options{
			Read: "consistent", Keys: 3, Items: 2, History: 1, Drawn: workload.DrawnOptions{OfEtcd: 4, Requests: 12, LargeBytes: 8},
		},
		Clock: testbed.Clock{Steps: 20_000},
	},
	Draws: []option.Range{
		option.From("max-request-bytes", "100", "110", "120", "140", "150", "160", "180"), option.From("drawn-bytes", "4", "12", "16"),
		option.From("keys", "1", "2", "6"), option.From("items", "0", "1", "5"), option.From("drawn-clients", "2", "3", "5"),
	},
	Claims: []*testbed.Property{etcdapi.Answers, reads.Linearizable, reads.LinearizableData, reads.Exact, reads.AtMostOnce},
})
