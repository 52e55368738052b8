package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Surroundings is what a dispatcher needs of the cache that it belongs to, beside
// the store.
type Surroundings interface {
	// Readiness says whether the cache may be used.
	Readiness(env *sim.Env) Readiness
	// Refusal is the answer to a request that comes while it may not.
	Refusal(env *sim.Env) *wire.Error
	// ConsistentReadSupported reports whether the cache may wait for a revision
	// that it has not reached.
	ConsistentReadSupported(env *sim.Env) bool
	// ObjectPrefix is the prefix of the objects that a watch of a prefix means.
	ObjectPrefix(prefix string) string

	// AskRevision asks etcd for its revision on behalf of a watch. The answer
	// comes to Watcher.RevisionKnown or Watcher.Refused.
	AskRevision(env *sim.Env, w *Watcher)
	// WaitUntilFresh makes a watch wait until the cache is at a resourceVersion,
	// as a read does: at most for a time, or as long as a read if that is 0. The
	// end comes to Watcher.Fresh or Watcher.Refused.
	WaitUntilFresh(env *sim.Env, w *Watcher, resourceVersion int64, patience sim.Duration)
	// Abandon ends the question to etcd of a watch whose client has gone. It
	// returns false if the watch waits for the cache instead, which does not end
	// before its time.
	Abandon(env *sim.Env, w *Watcher) bool

	// Initialized is called when a watch has sent its initial events, Ended when it ends.
	Initialized(env *sim.Env, conn sim.Conn)
	Ended(env *sim.Env, conn sim.Conn)

	// ProgressDispatched is called when a progress notification of etcd has come
	// out of the incoming channel.
	ProgressDispatched(env *sim.Env, resourceVersion int64)
}

// Readiness is the state of a cache that may be used or not.
type Readiness struct {
	OK bool
	// Generation is how often the cache became ready.
	Generation int
}

// Numbers are those of the node's tasks and timers that a dispatcher uses.
type Numbers struct {
	// Dispatch is the task of the dispatcher, HandOver the one that is to run when
	// the incoming channel has room again.
	Dispatch, HandOver sim.Task
	// Budget and Bookmark are the dispatcher's timers.
	Budget, Bookmark sim.Timer
	// Watcher returns the task and the timer of a watcher.
	Watcher func(number int) (sim.Task, sim.Timer)
}
