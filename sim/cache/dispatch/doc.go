// Package dispatch is what a watch cache does for its clients' watches: it takes
// a watch in, sends it what happened before, and gives each new event to every
// watcher (upstream's Cacher.Watch, dispatchEvents and cacheWatcher).
//
//	Dispatcher   the goroutine dispatchEvents, its incoming channel, and the
//	             registry of watchers
//	Watcher      one client's watch with its two channels
//
// The life of a watch, a file each:
//
//	watch.go            the request: validated, made to wait, registered
//	initial_events.go   what happened before the watch was registered
//	turn.go             one turn of the watcher's goroutine
//	ending.go           the end, early or in its time
//	dispatcher.go       an event on its way to all watchers
//	bookmark.go         the bookmark timer
//	end_bookmark.go     the bookmark that ends the initial events (KEP-3157)
//	detection.go        whether etcd sends the progress that it takes
//
// Where designs differ there is a seam, an exported variable to which another
// module may add a value: InitialEventsEnds, Buffers, Detections, Delegations, Registrations,
// OldestWatches and Teardowns. Package variant has values that designs of ours use.
//
// Each step declares what it reads and writes, in the cells of state.go. The
// steps of two watchers touch no common cell.
//
// The package imports sim, sim/wire, sim/option, sim/fifo and sim/cache/store. It
// must never import sim/cache: what it needs of the cache is in Surroundings.
package dispatch
