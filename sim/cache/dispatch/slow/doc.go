// Package slow (unstable) holds what KEP-6268 weighs for watchers that do not keep up, in place of
// the dispatcher's waiting for them and ending them. Each is a value of the seam
// dispatch.SlowWatchers, in a file of its own.
//
//	latch.go          the first draft: the watcher's goroutine sends what was missed
//	reinitialised.go  the watcher leaves the registry, and begins again as a new watch does
//	groups.go         the revised document: the dispatcher's goroutine serves unsynced watchers
//	pass.go           one of its passes, cohort by cohort
//
// A watcher's position is the resourceVersion up to which everything that it selects was sent, or
// is in its channel. The history has an event before the dispatcher does, so that an event
// which a channel had no room for is in the history, or was evicted from there.
//
// Yield points are those of the original: a pass looks at the history, serves a cohort, and
// offers again what a full channel did not take, each under locks of its own. Timed, a pass is
// one step: the goroutine does not block in between, and a step takes no time.
//
// The package imports sim, sim/cache/store, sim/option and sim/cache/dispatch. It must never
// import sim/cache.
package slow
