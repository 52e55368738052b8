// Package controller (unstable) is a controller behind a shared informer: its event handler, its
// work queue with one worker, and what keeps it from acting on a state that is older than its own
// writes (KEP-5647, Kubernetes' pkg/controller/util/consistency). It is a part of the node of an
// informer, since a process has both.
//
// The controller marks objects: one in its informer's store without a mark gets one by an update
// through the API server, which adds a member to whatever the object is by then. So an object
// gets a second mark if the controller acts on a state from before its own update. A controller
// that creates pods makes too many of them in this way.
//
// The goroutines are tasks and timers of the node:
//
//	worker          takes a key, asks whether the store has come to the controller's own last
//	                write about it, looks the object up, and sends an update; the answer is
//	                its next step
//	timer "requeue" puts the keys back whose sync failed (AddRateLimited)
//
// Expectations, which most controllers of Kubernetes have beside it, are left out.
//
// The package imports sim, sim/option and sim/wire. It must never import sim/informer
// or sim/informer/shared: the node gives it what handlers are told, and lets it look into the
// store.
package controller
