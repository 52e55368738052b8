// Package dispatch (unstable) is what a watch cache does for its clients' watches: it takes
// a watch in, sends it what happened before, and gives each new event to every
// watcher (upstream's Cacher.Watch, dispatchEvents and cacheWatcher).
//
//	Dispatcher   the goroutine dispatchEvents, its incoming channel, and the
//	             registry of watchers
//	Watcher      one client's watch with its two channels
//
// watch.go has a watch from its request until it is registered, watcher.go from there to its end, turn by turn;
// dispatcher.go has an event on its way to all watchers, and the bookmark timer; slow_watchers.go has what becomes of
// watchers without room in designs that KEP-6268 weighs, unsynced.go the passes of one of them.
//
// What a client is sent, in this order, and what it may rely on:
//
//  1. An error of the request, in place of the watch: 400 from validation, 429 while the
//     cache is not ready (ready.checkAndReadGeneration). Cacher.Watch returns the error.
//  2. wire.WatchEstablished, the HTTP 200: Cacher.Watch has returned a watch. It has read
//     etcd's revision, if the request has sendInitialEvents and no resourceVersion
//     (getWatchCacheResourceVersion), has waited for the cache if initial events are wanted
//     (waitUntilWatchCacheFreshAndForceAllEvents), has taken its interval
//     (getAllEventsSinceLocked) and has registered the watcher (addWatcher). A change that is
//     committed after the 200 is not lost, wherever the watch begins. A watch that etcd
//     serves is established when watcher.Watch of storage/etcd3 returns: with etcd's revision
//     (getStartWatchResourceVersion) if the watch begins now, at once in all other cases.
//  3. For a request that Cacher.Watch accepts and cannot serve (too old, too large, no
//     progress requests), one ERROR event and the end (newErrWatcher). For a request that meets
//     a new generation of the cache, the end alone (newImmediateCloseWatcher).
//  4. The initial events, ADDED, of a watch that begins with a state (processInterval).
//     Behind them processInterval calls WatchInitialized: no message, but priority and
//     fairness takes the seats of the request back then (sim/cache/flowcontrol).
//  5. The bookmark with the annotation k8s.io/initial-events-end, if sendInitialEvents and
//     bookmarks are requested: the state is complete, and not older than the request allows.
//     client-go's reflector waits for it before it replaces its store (handleAnyWatch);
//     clients without bookmarks are never told.
//  6. Changes and bookmarks in the order of their resourceVersions, until an ERROR or the end.
//
// client-go's reflector waits for the 200 only in that ListerWatcher.Watch returns with it:
// its watches name a resourceVersion or ask for initial events, so it relies on neither to
// know where they begin. Here a client is sent the 200 if it asks (WatchRequest.Announce).
//
// Where several designs differ there is a seam, an exported variable to which another
// module may add a value: Buffers and SlowWatchers. Any other option is a field of Options.
//
// The state declares what each step reads and writes (sim/state). The
// steps of two watchers touch no common cell.
//
// The package must never import sim/cache: what it works with of the cache is in Parts.
package dispatch
