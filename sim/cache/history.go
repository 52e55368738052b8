package cache

import (
	"slices"
	"sort"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchCacheEvent is a change as the cache keeps it and hands it to watchers.
type watchCacheEvent struct {
	// event is what a watcher is sent; nil if no watcher would be, as with the
	// end of an object that the cache never had.
	event           *wire.WatchEvent
	resourceVersion int64
	// recordTime is when the change came in; it stands still when untimed.
	recordTime sim.Time
	bookmark   bool
}

// history is upstream's watchCacheHistory: the last few events, from which
// watches start. Its entries are numbered from startIndex to endIndex; the
// numbers never go down, not even by a reset, so that an interval that was
// taken before notices that its events are gone.
type history struct {
	startIndex, endIndex int
	capacity             int
	// removedSinceRelist: some event since the last Replace was evicted.
	removedSinceRelist bool

	// log[head:] are the entries. Evicting moves head, so that a clone shares
	// the array until one of the two has to move entries.
	log    []watchCacheEvent
	head   int
	shared bool
}

func (h *history) init(capacity int) {
	*h = history{capacity: capacity, log: h.empty()}
}

func (h *history) empty() []watchCacheEvent {
	if h.shared {
		return nil
	}
	clear(h.log)
	return h.log[:0]
}

// reset empties the history as Replace does.
func (h *history) reset() {
	h.log, h.head, h.shared = h.empty(), 0, false
	h.startIndex = h.endIndex
	h.removedSinceRelist = false
}

func (h *history) len() int     { return h.endIndex - h.startIndex }
func (h *history) isFull() bool { return h.len() >= h.capacity }

// at returns the entry of a number that is still there.
func (h *history) at(index int) *watchCacheEvent { return &h.log[h.head+index-h.startIndex] }

// updateCache appends an event and evicts the oldest if it must.
func (h *history) updateCache(e watchCacheEvent) {
	if h.isFull() {
		h.evict(1)
		h.removedSinceRelist = true
	}
	if len(h.log) == cap(h.log) && h.head > 0 && h.head >= len(h.log)/2 {
		h.move()
	}
	h.log = append(h.log, e)
	h.endIndex++
}

func (h *history) evict(n int) {
	h.startIndex += n
	h.head += n
}

func (h *history) move() {
	if h.shared {
		h.log, h.shared = slices.Clone(h.log[h.head:]), false
	} else {
		n := copy(h.log, h.log[h.head:])
		clear(h.log[n:])
		h.log = h.log[:n]
	}
	h.head = 0
}

// resize doubles the capacity if the history is full of events that are all
// younger than fresh, and halves it if the newest quarter is older.
func (h *history) resize(now sim.Time, fresh sim.Duration, lower, upper int) {
	if !h.isFull() {
		return
	}
	switch {
	case now.Sub(h.at(h.startIndex).recordTime) < fresh:
		h.capacity = min(2*h.capacity, max(upper, h.capacity))
	case now.Sub(h.at(h.endIndex-max(h.capacity/4, 1)).recordTime) > fresh:
		if c := max(h.capacity/2, lower); c < h.capacity {
			h.capacity = c
			// Upstream does not count these as removed since the relist: the
			// event that is on its way in is about to evict one more anyway.
			h.evict(h.len() - c)
		}
	}
}

// oldest is the resourceVersion of the oldest event that a watch can be sent.
func (h *history) oldest(listResourceVersion int64) int64 {
	if !h.removedSinceRelist {
		return listResourceVersion + 1
	}
	return h.at(h.startIndex).resourceVersion
}

// after is the number of the first event after a resourceVersion.
func (h *history) after(resourceVersion int64) int {
	tail := h.log[h.head:]
	return h.startIndex + sort.Search(len(tail), func(i int) bool {
		return tail[i].resourceVersion > resourceVersion
	})
}

func (h *history) clone() history {
	h.shared = true
	c := *h
	c.log = h.log[:len(h.log):len(h.log)]
	return c
}

func (h *history) fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(h.capacity)).Bool(h.removedSinceRelist).Int(int64(h.len()))
	for i := range h.log[h.head:] {
		d = h.log[h.head+i].fingerprint(d)
	}
	return d
}

func (e *watchCacheEvent) fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(e.resourceVersion).Int(int64(e.recordTime)).Bool(e.bookmark)
	if e.event != nil {
		return e.event.Digest(d)
	}
	return d
}
