package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var MostRecent = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-most-recent",
	Summary: "informers list with RV=\"0\" and resourceVersionMatch=MostRecent, restart and move between API servers: they never go back in time (KEP-3157)",
	Doc: `What KEP-3157 proposes for LISTs against kubernetes/kubernetes#59848: the cache asks etcd for its revision, waits until it has that, and
refuses the LIST if it waits in vain. The informer asks again. No release has it: --set most-recent=refused is what they all do, and then
these informers never have a list, since the document names no way back for a LIST. --set informer-rv=0 leaves the match out, which is
informer-time-travel. Readers ask in the same way, and are held to what a consistent LIST promises, on every design of the cache: the
proposal is older than consistent LISTs from it.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Settings: option.Settings("most-recent=served"),
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 2, Writes: 3, Deletes: true, Noise: 1, NoiseWrites: 1, Readers: 2, Reads: 3, Gets: 1, Read: "most-recent", Move: true,
			AwaitReady: true, Keys: 2, Items: 2,
		},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByListWatch, RV: informer.RVMostRecent}},
		Faults:    faults.Options{InformerBreaks: 2, InformerRestarts: 3, Restarts: 1},
		Clock:     testbed.Clock{Steps: 40_000},
	},
	Claims: append([]*testbed.Property{
		reads.Linearizable, reads.LinearizableData, reads.Sequential, caches.ServedAsPromised,
	}, Claims...),
	Known: slices.Concat(
		known.When(known.ProgressOvertakesEvents, known.AnswersLists, known.RequestsProgress, known.TrustsEtcd).
			Violates(reads.Linearizable, reads.LinearizableData, reads.Sequential).
			Because("the cache takes early progress for the proof that it has all events (etcd-io/etcd#15220)"),
		known.BackInTime(contentClaims...),
		known.Rarely(known.StaleRelist()),
	),
})
