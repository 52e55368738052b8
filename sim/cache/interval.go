package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// interval is upstream's watchCacheInterval: what a watcher is sent before the
// events of the dispatcher. It is a copy of the store, or a range of the
// history that is copied piece by piece and may have been evicted by then.
type interval struct {
	// index and end are numbers of the history's entries.
	index, end int
	// buffer[taken:] was copied and not yet sent.
	buffer []watchCacheEvent
	taken  int
}

// bufferSize is how many events are copied under the lock at a time.
const bufferSize = 100

// takeInterval takes the interval that a request asks for
// (getAllEventsSinceLocked). It returns false if the history does not reach
// back far enough.
func (w *cacheWatcher) takeInterval(env *sim.Env) bool {
	c := w.dispatcher.cache
	from := w.required
	if w.wantsInitialEvents() {
		env.Cover(watchFromStore)
		w.floor = c.watchCache.resourceVersion
		c.ascend(w.prefix, func(kv *wire.KeyValue) bool {
			w.interval.buffer = append(w.interval.buffer, watchCacheEvent{
				event:           &wire.WatchEvent{Type: wire.Added, ResourceVersion: kv.ModRevision, Item: kv},
				resourceVersion: w.floor,
			})
			return true
		})
		return true
	}
	if from == 0 {
		// Initial events were refused, and any resourceVersion will do.
		env.Cover(watchFromNow)
		from = c.watchCache.resourceVersion
	}
	h := &c.watchCache.history
	oldest := h.oldest(c.watchCache.listResourceVersion)
	if h.len() == 0 {
		switch c.cfg.Defects.EmptyHistory {
		case EmptyHistoryOffByOne:
			oldest--
		case EmptyHistoryTakesAny:
			oldest = 0
		}
	}
	if from < oldest-1 {
		return false
	}
	env.Cover(watchFromHistory)
	if from > c.watchCache.resourceVersion {
		env.Cover(watchFromFuture)
	}
	w.floor = from
	w.interval.index, w.interval.end = h.after(from), h.endIndex
	return true
}

// wantsInitialEvents: the watch begins with the present state, because it says
// so or because it says nothing at all.
func (w *cacheWatcher) wantsInitialEvents() bool {
	switch w.request.SendInitialEvents {
	case wire.SendInitialEventsTrue:
		return true
	case wire.SendInitialEventsFalse:
		return false
	}
	return w.required == 0
}

// next returns the next event; its resourceVersion is 0 at the end. It returns
// false if the history has lost what comes next.
func (v *interval) next(h *history) (watchCacheEvent, bool) {
	if v.taken == len(v.buffer) {
		v.buffer, v.taken = v.buffer[:0], 0
		if v.index >= v.end {
			return watchCacheEvent{}, true
		}
		if v.index < h.startIndex {
			return watchCacheEvent{}, false
		}
		for v.index < v.end && len(v.buffer) < bufferSize {
			v.buffer = append(v.buffer, *h.at(v.index))
			v.index++
		}
	}
	e := v.buffer[v.taken]
	v.taken++
	return e, true
}

func (v *interval) clone() interval {
	return interval{
		index: v.index, end: v.end,
		buffer: append([]watchCacheEvent(nil), v.buffer[v.taken:]...),
	}
}

func (v *interval) fingerprint(d sim.Digest, h *history) sim.Digest {
	d = d.Int(int64(max(v.index-h.startIndex, -1))).Int(int64(v.end - v.index))
	for i := v.taken; i < len(v.buffer); i++ {
		d = v.buffer[i].fingerprint(d)
	}
	return d
}
