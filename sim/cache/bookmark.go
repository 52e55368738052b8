package cache

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// The bookmark timer of dispatchEvents goes off every 1 to 1.25 s. It is armed
// only while a bookmark would tell some watcher something new, so that a run
// without time comes to rest; bookmarks that repeat themselves are left out.
const (
	bookmarkTick   = time.Second
	bookmarkJitter = time.Second / 4
	// jitterSteps is how finely the jitter, and the phase that the timer would
	// have had, are chosen when timed.
	jitterSteps = 4
)

func (w *cacheWatcher) wantsBookmark() bool {
	d := w.dispatcher
	if !w.isRegistered() || !w.request.AllowBookmarks {
		return false
	}
	if w.endBookmark == endBookmarkWaiting {
		return d.lastProcessed >= w.bookmarkAfter
	}
	return d.lastProcessed > w.bookmarkVersion && !(d.cache.timed && w.wasLast())
}

// preTimeout is how long before its end a watch is due, so that its client has
// the newest resourceVersion to go on from.
const preTimeout = 2 * time.Second

// isDue is what nextBookmarkTime and the time buckets come to: every watcher is
// due a minute after its last bookmark, or shortly before its deadline, and one
// that waits for the end of its initial events at every tick.
func (w *cacheWatcher) isDue(env *sim.Env) bool {
	c := w.dispatcher.cache
	if !c.timed || w.endBookmark == endBookmarkWaiting {
		return true
	}
	next := w.bookmarkAt + sim.Time(c.cfg.BookmarkPeriod)
	if w.deadline != 0 {
		next = min(next, w.deadline-sim.Time(preTimeout))
	}
	return env.Now() >= next
}

// wasLast: after a bookmark shortly before the deadline there is none.
func (w *cacheWatcher) wasLast() bool {
	return w.deadline != 0 && w.bookmarkAt > w.deadline-sim.Time(preTimeout)
}

func (d *dispatcher) armBookmark(env *sim.Env) {
	if d.bookmarkWatchers == 0 {
		return
	}
	for _, w := range d.watchers {
		if !w.wantsBookmark() {
			continue
		}
		if env.Armed(timerBookmark) {
			return
		}
		phase := bookmarkTick
		if d.cache.timed {
			phase = bookmarkTick * sim.Duration(env.Choose(jitterSteps, "bookmark timer phase")+1) / jitterSteps
		}
		env.Arm(timerBookmark, phase)
		return
	}
}

// fireBookmark offers a bookmark to every watcher that is due, without
// blocking.
func (d *dispatcher) fireBookmark(env *sim.Env) {
	if d.dispatching() {
		// The goroutine is not at its select; finishDispatching arms again.
		return
	}
	bookmark := store.Event{ResourceVersion: d.lastProcessed, Bookmark: true}
	again := false
	for _, w := range d.watchers {
		if !w.wantsBookmark() {
			continue
		}
		if !w.isDue(env) {
			again = true
			continue
		}
		if bookmark.ForWatchers == nil {
			bookmark.ForWatchers = &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: d.lastProcessed}
		}
		w.bookmarkAt, w.bookmarkVersion = env.Now(), d.lastProcessed
		if w.add(env, &bookmark) {
			env.Cover(bookmarkOffered)
			w.received(env)
		} else {
			env.Cover(bookmarkDropped)
		}
	}
	if again {
		env.Arm(timerBookmark, bookmarkTick+bookmarkJitter*sim.Duration(env.Choose(jitterSteps+1, "bookmark jitter"))/jitterSteps)
	}
}
