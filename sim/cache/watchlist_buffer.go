package cache

import (
	"sort"

	"github.com/watchbed/watchbed/sim"
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
func (w *cacheWatcher) grow(env *sim.Env, e *watchCacheEvent) bool {
	if w.endBookmark == endBookmarkSent {
		return false
	}
	switch w.dispatcher.cache.cfg.WatchList.Buffer {
	case BufferDynamic:
	case BufferCapped:
		if w.inputBytes+e.bytes() > w.dispatcher.cache.cfg.InitialEventsBytes {
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
func (w *cacheWatcher) buffered(e *watchCacheEvent) {
	w.inputBytes += e.bytes()
	w.mostBuffered = max(w.mostBuffered, w.input.Len())
}

// taken counts an event that came out of it.
func (w *cacheWatcher) taken(e *watchCacheEvent) {
	if w.inputBytes > 0 {
		w.inputBytes -= e.bytes()
	}
}

// bytes are those of the key and the value.
func (e *watchCacheEvent) bytes() int {
	if e.event == nil || e.event.Item == nil {
		return 0
	}
	return len(e.event.Item.Key) + len(e.event.Item.Value)
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
	for w.input.Len() > 0 && !w.input.All()[0].bookmark {
		e := w.input.Pop()
		w.taken(&e)
		w.dispatcher.inputTaken(env, w)
		if e.resourceVersion <= w.floor {
			env.Cover(inputBelowFloor)
			continue
		}
		w.floor = e.resourceVersion
		if w.intervalEnd != 0 {
			// The bookmark has to tell of what was sent before it.
			w.intervalEnd = max(w.intervalEnd, e.resourceVersion)
		}
		switch {
		case !w.wants(e.event):
		case w.dispatcher.cache.cfg.WatchList.Buffer == BufferInjectMerged && w.interval.merge(e.event):
			env.Cover(eventMerged)
		default:
			env.Cover(eventInjected)
			if env.Noting() {
				env.Say("puts " + e.event.Label() + " before the initial events that " + env.NodeName(w.from) + " has not been sent yet")
			}
			return e.event
		}
	}
	return nil
}

// merge changes what the interval still has of an object to what an event says.
// It returns false if that has been sent, or was not there.
func (v *interval) merge(e *wire.WatchEvent) bool {
	rest := v.buffer[v.taken:]
	at := sort.Search(len(rest), func(i int) bool { return rest[i].event.Item.Key >= e.Item.Key })
	if at == len(rest) || rest[at].event.Item.Key != e.Item.Key {
		return false
	}
	if e.Type == wire.Deleted {
		v.buffer = append(v.buffer[:v.taken+at], rest[at+1:]...)
		return true
	}
	rest[at].event = &wire.WatchEvent{Type: wire.Added, ResourceVersion: e.ResourceVersion, Item: e.Item}
	return true
}
