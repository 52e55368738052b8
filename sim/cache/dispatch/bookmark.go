package dispatch

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// The bookmark timer of dispatchEvents goes off every 1 to 1.25 s. It is armed
// only while a bookmark would have a newer resourceVersion than some watcher was
// sent, so that a run without time comes to rest. A bookmark that repeats a
// resourceVersion is not sent, and does not count: upstream counts the period from it, so that news may
// wait there for up to a period longer than here (bookmarks-in-time allows it).
const (
	bookmarkTick   = time.Second
	bookmarkJitter = time.Second / 4
	// jitterSteps is how finely the jitter, and the phase that the timer would
	// have had, are chosen when timed.
	jitterSteps = 4
)

// FireBookmark offers a bookmark to every watcher that is due, without blocking.
func (d *Dispatcher) FireBookmark(env *sim.Env) {
	env.LooksAt(cellBlocked, 0)
	if d.occupied() {
		// The goroutine is not at its select; finishDispatching arms again.
		return
	}
	env.Reads(cellProcessed, 0)
	env.LooksAt(cellRegistry, 0)
	bookmark := store.Event{ResourceVersion: d.lastProcessed, Bookmark: true}
	again := false
	for _, w := range d.watchers {
		if !w.wantsBookmark(env) {
			continue
		}
		if !w.isDue(env) {
			again = true
			continue
		}
		if bookmark.ForWatchers == nil {
			bookmark.ForWatchers = &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: d.lastProcessed}
		}
		env.Writes(cellBookmark, w.number)
		w.bookmarkAt = env.Now()
		if w.nonblockingAdd(env, &bookmark) {
			env.Cover(bookmarkOffered)
			if d.catchUp != nil {
				d.catchUp.Added(env, w, d.lastProcessed)
			}
			w.bookmarkVersion = d.lastProcessed
			w.received(env)
		} else {
			env.Cover(bookmarkDropped)
			w.lacksBookmark = true
		}
	}
	if again {
		env.Arm(d.cfg.Numbers.Bookmark, bookmarkTick+bookmarkJitter*sim.Duration(env.Choose(jitterSteps+1, "bookmark jitter"))/jitterSteps)
	}
}

// wantsBookmark: a bookmark would have a newer resourceVersion than the watcher
// was sent.
func (w *Watcher) wantsBookmark(env *sim.Env) bool {
	if !w.registered || !w.request.AllowBookmarks {
		return false
	}
	if c := w.dispatcher.catchUp; c != nil && !c.OffersBookmark(env, w, w.dispatcher.lastProcessed) {
		return false
	}
	env.LooksAt(cellEnd, w.number)
	env.LooksAt(cellBookmark, w.number)
	if w.endBookmark == endBookmarkWaiting {
		return w.dispatcher.lastProcessed >= w.bookmarkAfter
	}
	return w.dispatcher.lastProcessed > w.bookmarkVersion && !(env.Mode() == sim.Timed && w.hadLast())
}

// preTimeout is how long before its end a watch is due, so that its client has
// the newest resourceVersion to go on from.
const preTimeout = 2 * time.Second

// hadLast: after a bookmark shortly before the deadline there is none.
func (w *Watcher) hadLast() bool {
	return w.deadline != 0 && w.bookmarkAt > w.deadline-sim.Time(preTimeout)
}

// isDue is what nextBookmarkTime and the time buckets come to: every watcher is
// due a minute after its last bookmark, or shortly before its deadline, and one
// that waits for the end of its initial events at every tick.
func (w *Watcher) isDue(env *sim.Env) bool {
	if env.Mode() == sim.Untimed || w.endBookmark == endBookmarkWaiting {
		return true
	}
	next := w.bookmarkAt + sim.Time(w.dispatcher.cfg.BookmarkPeriod)
	if w.deadline != 0 {
		next = min(next, w.deadline-sim.Time(preTimeout))
	}
	return env.Now() >= next
}

// bookmarkFits: the watcher took an event from its channel, for which a bookmark was
// dropped. Upstream offers the next one when its time comes, and repeats
// resourceVersions. Here the timer is set again once there is room, so that a run
// without time comes to rest while a client takes nothing.
func (w *Watcher) bookmarkFits(env *sim.Env) {
	w.lacksBookmark = false
	w.dispatcher.armBookmark(env)
}

// armBookmark sets the timer if some watcher wants a bookmark.
func (d *Dispatcher) armBookmark(env *sim.Env) {
	env.LooksAt(cellRegistry, 0)
	if d.bookmarkWatchers == 0 {
		return
	}
	env.LooksAt(cellProcessed, 0)
	for _, w := range d.watchers {
		if !w.wantsBookmark(env) {
			continue
		}
		if env.Armed(d.cfg.Numbers.Bookmark) {
			return
		}
		phase := bookmarkTick
		if env.Mode() == sim.Timed {
			phase = bookmarkTick * sim.Duration(env.Choose(jitterSteps, "bookmark timer phase")+1) / jitterSteps
		}
		env.Arm(d.cfg.Numbers.Bookmark, phase)
		return
	}
}
