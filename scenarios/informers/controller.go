package informers

import (
	"slices"

	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/faults"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

var Controller = testbed.RegisterScenario(&testbed.Scenario{
	Name:    "informer-controller",
	Summary: "a controller updates objects that it reads in its informer's store: it acts on none from before its own update (KEP-5647)",
	Doc: `The answer to an update comes before its event, and the controller may be called about the object meanwhile: by what another
client wrote, or by a resync. It records the resourceVersion of its update, and leaves the object alone until its store has come to that. This
is so for writes whose answer has come, and for one process: a controller that starts again has forgotten what it recorded. An API server
restarts, so that answers get lost.`,
	Params: testbed.Params{
		Etcd: "3.6.16", Cache: "kep-2340",
		Topology: topology.Options{Servers: 2},
		Workload: workload.Options{Writers: 1, Writes: 4, Deletes: true, Read: "consistent", Keys: 2, Items: 2},
		Informers: testbed.InformerOptions{Count: 1, Options: informer.Options{
			List: informer.ByWatchList, Controller: true,
			Shared: shared.Options{Queue: shared.RealFIFO, Handlers: 1, Resync: 1, Resyncs: 2},
		}},
		Faults: faults.Options{InformerBreaks: 1, InformerRestarts: 1, Restarts: 1},
		Clock:  testbed.Clock{ToRest: true, Steps: 20_000},
	},
	Draws:  sharedDraws,
	Claims: append([]*testbed.Property{informers.OwnWrites, informers.ControllerDone}, handlerClaims...),
	Known:  slices.Concat(known.Rarely(known.BackInTime(append([]*testbed.Property{informers.OwnWrites, informers.ControllerDone}, toldClaims...)...)), known.RefusedStreams(), neverSynced(informers.HandlersRest, informers.ControllerDone)),
})
