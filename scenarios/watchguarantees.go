package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/workload"
)

var WatchGuarantees = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "watch-guarantees",
	Summary: "clients of etcd's own watch API: watches from past, present and future, filters, cancels, progress, compaction, restarts",
	Doc: `No cache is judged here: raw watch streams are held to what etcd's documentation promises of a watch. Buffers are small, so
that watchers become victims, Send blocks and control responses wait.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340", Unmask: unmasked,
		Settings: option.Settings("chan-buf=2", "ctrl-buf=1", "send-window=2", "watchers-per-sync=1"),
		Workload: workload.Options{
			Writers: 2, Writes: 4, Txns: true, Deletes: true, Wide: true, Noise: 1, NoiseWrites: 2, Streams: 2,
			Read: "consistent", Keys: 2, Items: 2, History: 2, Compactions: 1,
		},
		Faults: faults.Options{EtcdRestarts: 1, Snapshots: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{watches.Ordered, watches.Unique, watches.Atomic, watches.Reliable, watches.Bookmarkable, watches.Filter},
	Known: slices.Concat(
		known.When(known.ProgressOvertakesEvents).Violates(watches.Bookmarkable).
			Because("progress comes before the events that it speaks for (etcd-io/etcd#15220)"),
		known.When(known.RestoreRepeatsEvents).Violates(watches.Ordered, watches.Unique).
			Because("a restore sends again what was sent before (etcd-io/etcd#15271)"),
		known.When(known.ForgetsCompactedWatch).Violates(watches.Reliable, watches.Bookmarkable).
			Because("events of a compacted watch never come (etcd-io/etcd#17529)"),
		known.When(known.CompactionRemovesDeletion).Violates(watches.Reliable, watches.Bookmarkable).
			Because("a watch from the compacted revision misses the deletion at that revision (etcd-io/etcd#18089)"),
	),
})
