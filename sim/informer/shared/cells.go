package shared

import "github.com/watchbed/watchbed/sim"

// The cells of a shared informer. Those of handlers have their numbers, the others index 0.
var (
	cellQueue = sim.NewCell("shared informer: queue")
	cellLoop  = sim.NewCell("shared informer: process loop")
	// cellBlocked is blockDeltas.
	cellBlocked = sim.NewCell("shared informer: blockDeltas")
	// cellStore is what handlers see. An item is a revision of an object.
	cellStore     = sim.NewCell("shared informer: store")
	cellVersion   = sim.NewCell("shared informer: resourceVersion of the store")
	cellSynced    = sim.NewCell("shared informer: synced")
	cellProcessor = sim.NewCell("shared informer: processor")
	cellResync    = sim.NewCell("shared informer: resync")
	cellProgram   = sim.NewCell("shared informer: program")
	// cellHandler is a handler with what waits for it. An item is a revision of an object.
	cellHandler = sim.NewCell("shared informer: handler")
)
