package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// Metrics of watches with initial events.
var (
	watchListDuration = sim.NewMetric("apiserver_watch_list_duration_seconds", sim.Nanoseconds,
		"from the arrival of a watch with initial events to the bookmark that ends them")
	initialEventsBuffered = sim.NewMetric("initial_events_buffer_entries", sim.Counted,
		"most events that waited in a watcher's channel before the bookmark that ends its initial events was sent, or it was ended")
	terminatedInitial = sim.NewCounter(`apiserver_terminated_watchers_total{initial_events="unfinished"}`, sim.Counted,
		"those of them whose client had not been sent the end of its initial events")
)

// waitsToBeClose: a watch waits until the cache is close enough, not until it is
// fresh. Where the bookmark follows the interval, fresh is what it must be.
func (o *WatchListOptions) waitsToBeClose() bool {
	return o.Buffer == BufferCloseEnough && o.InitialEventsEnd == EndByTimer
}

// hardClose stands for a TCP connection that is torn down, so that the client
// opens the next one to another API server.
var hardClose = &wire.Error{Code: wire.Unavailable, Message: "the watch cache is too far behind: connect to another API server"}

// grow makes room in a full channel, if the design has more for a watcher that
// still sends initial events.
func (w *cacheWatcher) grow(env *sim.Env, e *store.Event) bool {
	if w.endBookmark == endBookmarkSent {
		return false
	}
	switch w.dispatcher.cache.cfg.WatchList.Buffer {
	case BufferDynamic:
	case BufferCapped:
		if w.inputBytes+e.Bytes() > w.dispatcher.cache.cfg.InitialEventsBytes {
			env.Cover(bufferCapped)
			return false
		}
	default:
		return false
	}
	env.Cover(bufferGrown)
	w.capacity *= 2
	return true
}

// buffered counts an event that went into the channel before the end of the
// initial events was sent.
func (w *cacheWatcher) buffered(e *store.Event) {
	w.inputBytes += e.Bytes()
	w.mostBuffered = max(w.mostBuffered, w.input.Len())
}

// taken counts an event that came out of it.
func (w *cacheWatcher) taken(e *store.Event) {
	if w.inputBytes > 0 {
		w.inputBytes -= e.Bytes()
	}
}

// terminate ends a watcher that does not keep up. One whose channel holds the
// bookmark that ends the initial events is drained: the client can go on from
// there instead of starting over.
func (w *cacheWatcher) terminate(env *sim.Env) {
	if w.endBookmark != endBookmarkSent {
		env.Add(terminatedInitial, 1)
		env.Record(initialEventsBuffered, int64(w.mostBuffered))
	}
	if w.endBookmark == endBookmarkReceived {
		env.Cover(watcherDrained)
		w.draining = true
		return
	}
	w.stop(env)
}

// inject takes events from the channel while initial events are sent. It returns
// the one to send now, nil if there is none.
func (w *cacheWatcher) inject(env *sim.Env) *wire.WatchEvent {
	for w.input.Len() > 0 && !w.input.All()[0].Bookmark {
		e := w.input.Pop()
		w.taken(&e)
		w.dispatcher.inputTaken(env, w)
		if e.ResourceVersion <= w.floor {
			env.Cover(inputBelowFloor)
			continue
		}
		w.floor = e.ResourceVersion
		if w.intervalEnd != 0 {
			// The bookmark has to tell of what was sent before it.
			w.intervalEnd = max(w.intervalEnd, e.ResourceVersion)
		}
		switch {
		case !w.wants(e.ForWatchers):
		case w.dispatcher.cache.cfg.WatchList.Buffer == BufferInjectMerged && w.interval.Merge(e.ForWatchers):
			env.Cover(eventMerged)
		default:
			env.Cover(eventInjected)
			if env.Noting() {
				env.Say("puts " + e.ForWatchers.Label() + " before the initial events that " + env.NodeName(w.from) + " has not been sent yet")
			}
			return e.ForWatchers
		}
	}
	return nil
}
