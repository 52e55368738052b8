// Package store (unstable) is the state of a watch cache: upstream's watchCache with what its lock
// guards. It holds the objects and their resourceVersion, the history of recent events, the
// snapshots of past states (KEP-4988) and the field indexes.
//
//	Store      all of it, changed by ProcessEvent, SetResourceVersion and Replace
//	View       one state, the newest or a past one, as a list reads it
//	History    the recent events, from which watches start
//	Interval   what a watcher is sent before the events of the dispatcher
//	Snapshots  past states by resourceVersion
//	Digest     the checksum of a state that the consistency checker compares
//
// Methods with an env declare the cells that they read and write. Methods without
// one are for callers that look at the state between two steps.
//
// The package must never import sim/cache or another package below it: reads,
// watchers and the reflector are built on it.
package store
