package reflector

import "github.com/watchbed/watchbed/sim"

var (
	watches              = sim.NewNote("reflector.watches", "watches from resourceVersion %r on")
	asksForInitialEvents = sim.NewNote("reflector.asksForInitialEvents", "asks etcd for all objects as initial events of a watch")
	fallsBackToList      = sim.NewNote("reflector.fallsBackToList", "lists instead")
)
