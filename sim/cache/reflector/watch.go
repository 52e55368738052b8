package reflector

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// position is lastSyncResourceVersion: where a watch starts. It is of no use
// for a watch with initial events while unavailable: etcd has refused it
// (isLastSyncResourceVersionUnavailable).
type position struct {
	resourceVersion int64
	unavailable     bool
}

// watch is how the present watch has gone so far: began and eventful distinguish a watch that ended at once from a
// watch that worked.
type watch struct {
	began    sim.Time
	eventful bool
	retry    retryWithDeadline
	// reached is the resourceVersion of the list, event or bookmark that came last.
	reached int64
}

// veryShortWatch: a watch that ended earlier, without an event, is taken for a
// failure (client-go's VeryShortWatchError).
const veryShortWatch = time.Second

func (w *watch) wasVeryShort(env *sim.Env) bool {
	return !w.eventful && !env.Elapsed(w.began, veryShortWatch)
}

// synced: the sink has the contents of a list.
func (r *Reflector) synced(env *sim.Env, resourceVersion int64) {
	r.position.Set(env, position{resourceVersion: resourceVersion})
	w := r.watch.Change(env)
	w.retry, w.reached = retryWithDeadline{}, resourceVersion
	r.failed, r.resumes = false, false
}

// startWatch watches from the position on.
func (r *Reflector) startWatch(env *sim.Env) {
	from := r.position.Get(env).resourceVersion
	watches.Say(env, from)
	r.noteStart(from)
	r.open(env, watching, &wire.WatchStart{Revision: from})
}

func (r *Reflector) open(env *sim.Env, at phase, start *wire.WatchStart) {
	t := r.turn.Change(env)
	t.at = at
	r.begin(env)
	start.Prefix, start.ProgressNotify, start.Metadata, start.Announce = r.cfg.Prefix, true, r.cfg.Metadata, r.cfg.Announce
	start.WithoutPrevKV = r.cfg.WithoutPrevKV
	t.watch = env.Open(r.cfg.Watch)
	env.Send(t.watch, start)
}

func (r *Reflector) begin(env *sim.Env) {
	w := r.watch.Change(env)
	w.began, w.eventful = env.Now(), false
	r.events = 0
}

// event is one turn of handleAnyWatch.
func (r *Reflector) event(env *sim.Env, e *wire.WatchEvent) {
	if e.Type == wire.Failed {
		r.watchFailed(env, e.Err)
		return
	}
	env.Hold(r.turn.Value().watch)
	if !r.sink.Event(env, e) {
		return
	}
	r.events++
	r.position.Change(env).resourceVersion = e.ResourceVersion
	w := r.watch.Change(env)
	w.eventful, w.reached = true, e.ResourceVersion
	r.turn.Change(env).at = storing
}

// Next takes the next event from the watch: the sink is ready for it.
func (r *Reflector) Next(env *sim.Env) {
	t := r.turn.Change(env)
	t.at = watching
	env.Release(t.watch)
}

// watchFailed: an ERROR event ended the watch.
func (r *Reflector) watchFailed(env *sim.Env, err *wire.Error) {
	env.Close(r.turn.Value().watch)
	r.ended(env, r.watch.Value(), err)
	if err.Code != wire.ErrCompacted && !r.cfg.RelistsOnError {
		r.watch.Read(env)
		if r.watch.Change(env).retry.again(env) {
			env.Cover(watchRetried)
			r.startWatch(env)
			return
		}
	}
	if err.Code == wire.ErrCompacted {
		env.Cover(watchExpired)
	}
	r.endListAndWatch(env)
}

// watchClosed: the watch ended without an error.
func (r *Reflector) watchClosed(env *sim.Env) {
	if r.turn.Value().at == streaming {
		r.watchListClosed(env)
		return
	}
	r.ended(env, r.watch.Value(), nil)
	if r.watch.Read(env).wasVeryShort(env) {
		env.Cover(watchVeryShort)
		r.endListAndWatch(env)
		return
	}
	env.Cover(watchResumed)
	r.startWatch(env)
}

// maxInternalErrorRetry is how long the reflector watches again after internal
// errors before it lists again (Reflector.MaxInternalErrorRetryDuration, which
// the cacher sets so that an etcd election does not end all watches).
const maxInternalErrorRetry = 30 * time.Second

// retryWithDeadline is client-go's: internal errors are retried until they have
// gone on for maxInternalErrorRetry; a quiet minute makes them new ones.
type retryWithDeadline struct {
	failed      bool
	first, last sim.Time
}

// again reports whether to watch again after an error.
func (r *retryWithDeadline) again(env *sim.Env) bool {
	now := env.Now()
	if !r.failed || env.Elapsed(r.last, time.Minute) {
		*r = retryWithDeadline{failed: true, first: now, last: now}
		return true
	}
	r.last = now
	// Exactly 30 s are still within.
	if env.Elapsed(r.first, maxInternalErrorRetry+1) {
		*r = retryWithDeadline{}
		return false
	}
	return true
}
