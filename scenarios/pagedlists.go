package scenarios

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var PagedLists = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "paged-lists",
	Summary: "consistent LISTs in pages, from the cache and from etcd: together they are one state, and not an old one",
	Doc: `Clients list three objects page by page while they change, from two API servers that restart, with a compacting etcd. KEP-2340
and its first draft weigh what answers: etcd all pages, the cache the first one, or only what fits one page, or what it
kept of the list under the token, or snapshots (KEP-4988), or the whole list whatever the limit. --set pagination=... selects
one. A page that etcd cannot give any more is refused (410); the pages that are given are of one revision.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 4, Deletes: true, Readers: 2, Reads: 2, Read: "pages", AwaitReady: true, Keys: 3,
			Items: 3, Compactions: 1,
		},
		Faults: faults.Options{Breaks: 1, Restarts: 1},
		Clock:  testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{reads.Pages, reads.Linearizable, reads.LinearizableData, caches.MatchEtcd},
	Known: slices.Concat(
		known.EarlyProgress(reads.Linearizable, reads.LinearizableData, caches.MatchEtcd),
		known.Where(known.CompactedDeletions(reads.Linearizable, reads.LinearizableData), known.AnswersConsistentLists),
		known.CompactedDeletions(reads.Pages, caches.MatchEtcd),
		known.StaleReads(reads.Linearizable, reads.LinearizableData),
	),
})
