package reflector

import "github.com/watchbed/watchbed/sim"

var (
	watches              = sim.NewNote1[int64]("reflector.watches", "watches from resourceVersion %r on")
	asksForInitialEvents = sim.NewNote0("reflector.asksForInitialEvents", "asks etcd for all objects as initial events of a watch")
	fallsBackToList      = sim.NewNote0("reflector.fallsBackToList", "lists instead")
)
