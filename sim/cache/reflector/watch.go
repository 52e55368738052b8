package reflector

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watch is the reflector's watch.
type watch struct {
	conn sim.Conn
	// position is lastSyncResourceVersion: where a watch starts. It is of no use
	// for a watch with initial events while unavailable: etcd has refused it
	// (isLastSyncResourceVersionUnavailable).
	position    int64
	unavailable bool
	// began and events distinguish a watch that ended at once from one that
	// worked.
	began  sim.Time
	events int
	retry  retryWithDeadline
}

// veryShortWatch: a watch that ended earlier, without an event, is taken for a
// failure (client-go's VeryShortWatchError).
const veryShortWatch = time.Second

// synced: the sink has the contents of a list.
func (r *Reflector) synced(env *sim.Env, resourceVersion int64) {
	env.Writes(cellPosition, 0)
	env.Writes(cellWatch, 0)
	r.watch.position, r.watch.unavailable = resourceVersion, false
	r.watch.retry = retryWithDeadline{}
	r.endings.failed = false
}

// startWatch watches from the position on.
func (r *Reflector) startWatch(env *sim.Env) {
	env.Reads(cellPosition, 0)
	w := &r.watch
	r.move(env, watching)
	w.begin(env)
	if env.Noting() {
		env.Note(watches{from: w.position})
	}
	r.endings.events = 0
	w.conn = env.Open(r.cfg.Watch)
	env.Send(w.conn, &wire.WatchStart{
		Prefix: r.cfg.Prefix, Revision: w.position, ProgressNotify: true, Metadata: r.cfg.Metadata, Announce: r.cfg.Announce,
	})
}

func (w *watch) begin(env *sim.Env) {
	env.Writes(cellWatch, 0)
	w.began, w.events = env.Now(), 0
}

// event is one turn of handleAnyWatch.
func (r *Reflector) event(env *sim.Env, e *wire.WatchEvent) {
	if e.Type == wire.Failed {
		r.watchFailed(env, e.Err)
		return
	}
	env.Hold(r.watch.conn)
	if !r.sink.Event(env, e) {
		return
	}
	r.endings.events++
	env.Writes(cellPosition, 0)
	env.Writes(cellWatch, 0)
	r.watch.position = e.ResourceVersion
	r.watch.events++
	r.move(env, storing)
}

// Next takes the next event from the watch: the sink is ready for it.
func (r *Reflector) Next(env *sim.Env) {
	r.move(env, watching)
	env.Release(r.watch.conn)
}

// watchFailed: an ERROR event ended the watch.
func (r *Reflector) watchFailed(env *sim.Env, err *wire.Error) {
	env.Close(r.watch.conn)
	r.ended(env, err)
	if err.Code != wire.ErrCompacted && !r.cfg.RelistsOnError && r.watch.again(env) {
		env.Cover(watchRetried)
		r.startWatch(env)
		return
	}
	if err.Code == wire.ErrCompacted {
		env.Cover(watchExpired)
	}
	r.endListAndWatch(env)
}

// watchClosed: the watch ended without an error.
func (r *Reflector) watchClosed(env *sim.Env) {
	if r.state == streaming {
		r.watchListClosed(env)
		return
	}
	r.ended(env, nil)
	if r.watch.wasVeryShort(env) {
		env.Cover(watchVeryShort)
		r.endListAndWatch(env)
		return
	}
	env.Cover(watchResumed)
	r.startWatch(env)
}

func (w *watch) wasVeryShort(env *sim.Env) bool {
	env.Reads(cellWatch, 0)
	return w.events == 0 && !env.Elapsed(w.began, veryShortWatch)
}

func (w *watch) again(env *sim.Env) bool {
	env.Reads(cellWatch, 0)
	env.Writes(cellWatch, 0)
	return w.retry.again(env)
}

func (w *watch) digest() sim.Digest {
	d := sim.NewDigest.Bool(w.events > 0).Int(int64(w.began))
	return d.Bool(w.retry.failed).Int(int64(w.retry.first)).Int(int64(w.retry.last))
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
