package informers

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
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

var LateDetector = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-late-check",
	Summary: "API servers have no seat for the detector's LIST for many minutes: its watch has timed out when the comparison passes, and is resumed",
	Doc: `With a clock. While the reflector compares what it was streamed it does not read its watch, which ends after five to ten
minutes. API Priority and Fairness refuses the LIST with a Retry-After of half a minute, again and again; running watches go on. When the
comparison has passed, the informer finds its watch gone, and has to watch again from the bookmark that ended the initial events.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{
			Writers: 1, Writes: 6, Deletes: true, Noise: 1, NoiseWrites: 10, NoiseFor: time.Minute,
			Read: "consistent", Keys: 2, Items: 3, Think: 4 * time.Minute,
		},
		Informers: testbed.InformerOptions{Count: 2, Options: informer.Options{List: informer.ByWatchList, Check: true}},
		Faults:    faults.Options{InformerOverloads: 60, InformerRestarts: 2, For: 25 * time.Minute},
		Clock: testbed.Clock{
			Mode: sim.Timed, Network: time.Millisecond, Scheduling: 500 * time.Microsecond, Horizon: 50 * time.Minute,
			Steps: 200_000,
		},
	},
	Claims: append([]*testbed.Property{informers.DetectorAccuracy}, Claims...),
	Known: slices.Concat(
		known.BackInTime(contentClaims...),
		known.Rarely(known.StaleRelist()),
	),
})
