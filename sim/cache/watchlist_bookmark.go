package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// endBookmark is where a watcher is with the bookmark that ends its initial
// events. Upstream's names are cacheWatcherWaitingForBookmark,
// cacheWatcherBookmarkReceived and cacheWatcherBookmarkSent.
type endBookmark uint8

const (
	// endBookmarkSent: the client has it, or wants none.
	endBookmarkSent endBookmark = iota
	// endBookmarkWaiting: no bookmark that is late enough has come to input.
	endBookmarkWaiting
	// endBookmarkReceived: it is in input. A watcher that does not keep up is
	// drained before it ends, so that its client can go on from there.
	endBookmarkReceived
)

// isWatchList: the client wants initial events and to be told where they end
// (isListWatchRequest).
func isWatchList(req *wire.WatchRequest) bool {
	return req.SendInitialEvents == wire.SendInitialEventsTrue && req.AllowBookmarks
}

// expectEndBookmark sets the watcher up for the end of its initial events, under
// the locks of its registration.
func (w *cacheWatcher) expectEndBookmark(env *sim.Env) {
	c := w.dispatcher.cache
	if !isWatchList(w.request) {
		return
	}
	w.endBookmark = endBookmarkWaiting
	w.injects = c.cfg.WatchList.Buffer == BufferInject || c.cfg.WatchList.Buffer == BufferInjectMerged
	w.bookmarkAfter = w.required
	if w.request.ResourceVersion == 0 {
		w.bookmarkAfter = c.store.ResourceVersion(env)
	}
	if c.cfg.WatchList.InitialEventsEnd == EndWithInterval {
		w.intervalEnd = c.store.ResourceVersion(env)
	} else if env.Noting() {
		env.Say("begins to send " + env.NodeName(w.from) + " what it has at resourceVersion " + number(c.store.ResourceVersion(env)) + "; the end comes when the bookmark timer finds that it has dispatched " + number(w.bookmarkAfter))
	}
}

// takeIntervalEnd returns the bookmark that follows the interval, nil if there
// is none.
func (w *cacheWatcher) takeIntervalEnd(env *sim.Env) *wire.WatchEvent {
	if w.intervalEnd == 0 {
		return nil
	}
	env.Cover(endBookmarkWithInterval)
	e := &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: w.intervalEnd}
	w.intervalEnd = 0
	return w.convertBookmark(e)
}

// convertBookmark marks the first bookmark that the client is sent as the end of
// its initial events. None that is too early gets this far.
func (w *cacheWatcher) convertBookmark(e *wire.WatchEvent) *wire.WatchEvent {
	if w.endBookmark == endBookmarkSent {
		return e
	}
	marked := *e
	marked.InitialEventsEnd = true
	return &marked
}

// received notes a bookmark in input (markBookmarkAfterRvAsReceived).
func (w *cacheWatcher) received(env *sim.Env) {
	if w.endBookmark == endBookmarkWaiting {
		env.Cover(endBookmarkByTimer)
		if env.Noting() {
			env.Say("the bookmark timer finds what " + env.NodeName(w.from) + " waits for, resourceVersion " + number(w.bookmarkAfter) + ", dispatched")
		}
		w.endBookmark = endBookmarkReceived
	}
}

// sent notes what went into result.
func (w *cacheWatcher) sent(env *sim.Env, e *wire.WatchEvent) {
	if e.Type != wire.Bookmark || w.endBookmark == endBookmarkSent {
		return
	}
	w.endBookmark = endBookmarkSent
	env.Record(initialEventsBuffered, int64(w.mostBuffered))
	env.Record(watchListDuration, int64(env.Now().Sub(w.began)))
	if env.Noting() {
		env.Say("has sent " + env.NodeName(w.from) + " all initial events up to resourceVersion " + number(e.ResourceVersion) + "; it wanted " + number(w.bookmarkAfter) + " or later")
	}
}
