package informer

import "github.com/watchbed/watchbed/sim"

// The cells of an informer. All have index 0.
var (
	// cellState is the turn of the flow that the Reflector is in.
	cellState = sim.NewCell("informer: state")
	// cellServer is the API server that it is connected to.
	cellServer = sim.NewCell("informer: API server")
	// cellVersion is lastSyncResourceVersion, cellUnavailable whether the last
	// request that named it was refused as expired or too large.
	cellVersion     = sim.NewCell("informer: resourceVersion")
	cellUnavailable = sim.NewCell("informer: resourceVersion unavailable")
	// cellStore is what the handlers see. An item is a revision of an object.
	cellStore = sim.NewCell("informer: store")
	// cellTemporary is what a WatchList has brought so far, in the same way.
	cellTemporary = sim.NewCell("informer: temporary store")
	// cellRequest is the request under way, and how often it was repeated.
	cellRequest = sim.NewCell("informer: request")
	// cellPages is how far the list is.
	cellPages = sim.NewCell("informer: pages of the list")
	// cellStream is the watch that is open.
	cellStream = sim.NewCell("informer: stream")
	// cellCheck is the resourceVersion that the consistency detector compares at.
	cellCheck   = sim.NewCell("informer: consistency check")
	cellBackoff = sim.NewCell("informer: backoff")
	// cellHeld is whether the Reflector waits for the lock of its queue.
	cellHeld = sim.NewCell("informer: waits for the queue")
	// cellRecord is what properties look at.
	cellRecord = sim.NewCell("informer: record")
)
