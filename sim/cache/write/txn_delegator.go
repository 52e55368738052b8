package write

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/wire"
)

// What follows is upstream's txnDelegator (KEP-6404): the states that a write works on are the cache's, and etcd is
// sent nothing but the transaction, the question for its revision, and the read before an update that changes nothing.

var _ read.Waiter = (*Write)(nil)

func (w *Write) Number() int          { return w.number }
func (w *Write) Request() sim.Payload { return w.request }
func (w *Write) From() sim.NodeID     { return w.from }

// getCurrentState waits for the cache to be as new as etcd is now.
func (w *Write) getCurrentState(env *sim.Env) {
	m := w.d.cfg.Mistake
	if m == refreshUnread && w.doubted || m == missingTrusted && !w.doubted {
		takesUnwaited.Say(env)
		w.takeCached(env)
		return
	}
	w.state = waiting
	asksRevision.Say(env)
	w.d.cfg.Reads.AskRevision(env, w)
}

// awaitChange waits for the cache to have what made the transaction fail, which etcd refused at a revision.
func (w *Write) awaitChange(env *sim.Env, revision int64) {
	env.Cover(awaitsCache)
	w.conflicted = true
	w.state = waiting
	if w.d.cfg.Mistake == conflictUnwaited {
		takesUnwaited.Say(env)
		w.takeCached(env)
		return
	}
	awaitsChange.Say(env, revision)
	w.d.cfg.Reads.LetWait(env, w, revision, 0)
}

// RevisionKnown implements read.Waiter.
func (w *Write) RevisionKnown(env *sim.Env, revision int64) bool {
	w.job.Read(env)
	w.d.cfg.Reads.LetWait(env, w, revision, 0)
	return true
}

// Fresh implements read.Waiter: the cache has got to where the write wants it.
func (w *Write) Fresh(env *sim.Env) {
	w.job.Read(env)
	w.job.Change(env)
	w.takeCached(env)
}

// takeCached goes on with the object that the cache has (getStateNotOlderThan).
func (w *Write) takeCached(env *sim.Env) {
	// failed is the mod revision that a transaction which failed had expected.
	found, conflicted, failed, doubted := w.cachedObject(env), w.conflicted, w.resourceVersion(), w.doubted
	if !w.take(env, found, w.d.cfg.Store.ResourceVersion(env)) {
		return
	}
	switch {
	case conflicted && w.resourceVersion() == failed && (failed != 0 || w.d.cfg.Mistake == unchangedCreation):
		env.Cover(unchanged)
		w.finish(env, &wire.Error{Code: wire.Internal, Message: "watch cache returned unchanged revision " + number(failed) + " after a conflict on " + w.key})
		return
	case conflicted && w.resourceVersion() == failed:
		env.Cover(stillMissing)
	case conflicted:
		changedInCache.Say(env, w.resourceVersion())
	case doubted:
		env.Cover(beginsAgain)
	}
	w.attempt(env)
}

// Refused implements read.Waiter: the cache was not fresh in time, or etcd did not answer with its revision.
func (w *Write) Refused(env *sim.Env, err *wire.Error) {
	w.job.Read(env)
	w.job.Change(env)
	switch o := w.d.cfg.OnTimeout; {
	case err.Code != wire.TooLargeResourceVersion, o != read.OnTimeoutFallback && o != read.OnTimeoutThrottle:
		w.finish(env, err)
	case o == read.OnTimeoutThrottle:
		env.Cover(throttled)
		w.finish(env, read.Throttled)
	default:
		env.Cover(startsOver)
		fellBack.Say(env)
		w.cached = false
		w.suggest(env)
	}
}

var (
	stillMissing = sim.NewCoveragePoint("cache: creation finds no object after its conflict")
	awaitsCache  = sim.NewCoveragePoint("cache: write waits in the cache after a conflict")
	unchanged    = sim.NewCoveragePoint("cache: write finds the object of its conflict unchanged in the cache")
	throttled    = sim.NewCoveragePoint("cache: write throttled, since the cache is not fresh in time")
	startsOver   = sim.NewCoveragePoint("cache: write starts over in etcd, since the cache is not fresh in time")
)
