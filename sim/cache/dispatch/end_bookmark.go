package dispatch

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

// isWatchList: the client asks for initial events and for the bookmark that ends
// them (isListWatchRequest).
func isWatchList(req *wire.WatchRequest) bool {
	return req.SendInitialEvents == wire.SendInitialEventsTrue && req.AllowBookmarks
}

// expectEndBookmark sets the watcher up for the end of its initial events, under
// the locks of its registration (setInitialEventsEndBookmarkIfRequested).
func (w *Watcher) expectEndBookmark(env *sim.Env) {
	if !isWatchList(w.request) {
		return
	}
	env.Writes(cellEnd, w.number)
	at := w.dispatcher.cfg.Store.ResourceVersion(env)
	w.endBookmark = endBookmarkWaiting
	w.takesInput = w.dispatcher.buffer.Injects()
	w.bookmarkAfter = w.required
	if w.request.ResourceVersion == 0 {
		w.bookmarkAfter = at
	}
	switch {
	case !w.dispatcher.cfg.EndByTimer:
		w.intervalEnd = at
	case env.Noting():
		env.Note(endByTimerExpected{w.from, w.bookmarkAfter})
	}
}

// convertBookmark marks the first bookmark that the client is sent as the end of
// its initial events. None that is too early gets this far.
func (w *Watcher) convertBookmark(e *wire.WatchEvent) *wire.WatchEvent {
	if w.endBookmark == endBookmarkSent {
		return e
	}
	marked := *e
	marked.InitialEventsEnd = true
	return &marked
}

// received notes a bookmark in input (markBookmarkAfterRvAsReceived).
func (w *Watcher) received(env *sim.Env) {
	if w.endBookmark != endBookmarkWaiting {
		return
	}
	env.Cover(endBookmarkByTimer)
	if env.Noting() {
		env.Note(endFound{w.from, w.bookmarkAfter})
	}
	env.Writes(cellEnd, w.number)
	w.endBookmark = endBookmarkReceived
}

// sent notes what went into result.
func (w *Watcher) sent(env *sim.Env, e *wire.WatchEvent) {
	if e.Type != wire.Bookmark {
		return
	}
	env.Add(bookmarksSent, 1)
	if w.endBookmark == endBookmarkSent {
		return
	}
	env.Writes(cellEnd, w.number)
	w.endBookmark = endBookmarkSent
	w.recordInput(env)
	env.Record(watchListDuration, int64(env.Now().Sub(w.began)))
	if env.Noting() {
		env.Note(initialEventsSent{w.from, e.ResourceVersion, w.bookmarkAfter})
	}
}

// recordInput records what the channel held at most.
func (w *Watcher) recordInput(env *sim.Env) {
	env.Record(initialEventsBuffered, int64(w.maxBuffered))
	env.Record(initialEventsObjects, int64(w.maxObjects))
}

// Beginning is what a watch waits for before it is sent initial events.
type Beginning struct {
	// At is the resourceVersion that the cache has to reach, 0 for any.
	At int64
	// Within is how long that may take; 0 is as long as a read waits.
	Within sim.Duration
	// HardClose: if it takes longer, the connection is torn down, so that the client
	// connects to another API server. Otherwise the answer is that to a read.
	HardClose bool
}

func (w *Watcher) beginning() Beginning {
	if w.dispatcher.cfg.EndByTimer {
		return w.dispatcher.buffer.Begin(w)
	}
	return Beginning{At: w.required}
}

// takeIntervalEnd returns the bookmark that follows the interval, nil if there
// is none.
func (w *Watcher) takeIntervalEnd(env *sim.Env) *wire.WatchEvent {
	env.LooksAt(cellEnd, w.number)
	if w.intervalEnd == 0 {
		return nil
	}
	env.Cover(endBookmarkWithInterval)
	env.Reads(cellEnd, w.number)
	env.Writes(cellEnd, w.number)
	e := &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: w.intervalEnd}
	w.intervalEnd = 0
	return w.convertBookmark(e)
}
