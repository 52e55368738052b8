package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Detector = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-detector",
	Summary: "the reflector compares what it was streamed with an exact list, in front of a cache that has lost an event",
	Doc: `client-go's data consistency detector (KUBE_WATCHLIST_INCONSISTENCY_DETECTOR) before a cache that has lost an event on the
way from etcd. An informer that streams its list from that cache afterwards has to panic; no other informer may. The detector
does not look at what comes later on the stream. client-go assumes that an exact list comes from etcd; a cache with snapshots
(KEP-4988, Kubernetes 1.34 and later) answers it from the same state that it has streamed, and the detector finds nothing.`,
	Params: testbed.Params{
		Etcd: "3.5.13", Cache: "kep-2340",
		Topology:  topology.Options{Servers: 1},
		Workload:  workload.Options{Writers: 2, Writes: 3, Read: "consistent", Keys: 2, Items: 1},
		Informers: testbed.InformerOptions{Count: 3, Options: informer.Options{List: informer.ByWatchList, Check: true}},
		Faults:    faults.Options{LostEvents: 1, InformerRestarts: 2},
		Clock:     testbed.Clock{Steps: 20_000},
	},
	Claims: []*testbed.Property{informers.DetectorAccuracy, informers.MatchEtcd},
	Known: slices.Concat(
		known.When().Violates(informers.MatchEtcd).
			Because("an event is lost, and a difference that comes after the list is not looked for"),
		known.When(known.KeepsSnapshots, known.TrustsEtcd).Violates(informers.DetectorAccuracy).
			Because("the exact list of the detector is answered from the same state that was streamed"),
	),
})
