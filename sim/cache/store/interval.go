package store

import (
	"sort"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Interval is upstream's watchCacheInterval: what a watcher is sent before the
// events of the dispatcher. It is a copy of the store, or a range of the
// history that is copied piece by piece and may have been evicted by then.
type Interval struct {
	// index and end are numbers of the history's entries.
	index, end int
	// buffer[taken:] was copied and not yet sent.
	buffer []Event
	taken  int
}

// bufferSize is how many events are copied under the lock at a time.
const bufferSize = 100

// TakeObjects makes the interval the present state: each object as added, with
// the resourceVersion of the whole (getAllEventsSinceLocked, for a watch that
// begins with initial events).
func (v *Interval) TakeObjects(env *sim.Env, s *Store, prefix string) {
	at := s.ResourceVersion(env)
	env.Read(CellObjects, 0)
	s.objects.ascend(s.wholePrefix(prefix), "", func(kv *wire.KeyValue) bool {
		kind := wire.Added
		if s.cfg.InitialEventsAreModified && kv.ModRevision > kv.CreateRevision {
			kind = wire.Modified
		}
		v.buffer = append(v.buffer, Event{
			ForWatchers:     &wire.WatchEvent{Type: kind, ResourceVersion: kv.ModRevision, Item: kv},
			ResourceVersion: at,
		})
		return true
	})
}

// TakeHistory makes the interval the events after a resourceVersion. The caller
// has looked whether the history reaches back that far.
func (v *Interval) TakeHistory(env *sim.Env, s *Store, after int64) {
	env.Read(CellHistory, 0)
	v.index, v.end = s.history.after(after), s.history.endIndex
}

// Next returns the next event; its resourceVersion is 0 at the end. It returns
// false if the history has lost what comes next.
func (v *Interval) Next(env *sim.Env, s *Store) (Event, bool) {
	if v.taken == len(v.buffer) {
		v.buffer, v.taken = v.buffer[:0], 0
		if v.index >= v.end {
			return Event{}, true
		}
		h := &s.history
		if v.index < h.startIndex {
			env.Read(CellHistory, 0)
			return Event{}, false
		}
		env.LookAt(CellHistory, 0)
		for v.index < v.end && len(v.buffer) < bufferSize {
			v.buffer = append(v.buffer, *h.at(v.index))
			v.index++
		}
	}
	e := v.buffer[v.taken]
	v.taken++
	if v.end > 0 {
		// Also if it was copied earlier: a story shall find this event alone.
		env.ReadItem(CellHistory, 0, e.ResourceVersion)
	}
	return e, true
}

// Merge changes what the interval still has of an object to what an event says.
// It returns false if that has been sent, or was not there.
func (v *Interval) Merge(e *wire.WatchEvent) bool {
	rest := v.buffer[v.taken:]
	at := sort.Search(len(rest), func(i int) bool { return rest[i].ForWatchers.Item.Key >= e.Item.Key })
	if at == len(rest) || rest[at].ForWatchers.Item.Key != e.Item.Key {
		return false
	}
	if e.Type == wire.Deleted {
		v.buffer = append(v.buffer[:v.taken+at], rest[at+1:]...)
		return true
	}
	rest[at].ForWatchers = &wire.WatchEvent{Type: wire.Added, ResourceVersion: e.ResourceVersion, Item: e.Item}
	return true
}

// IsHistory reports whether the interval is a range of the history.
func (v *Interval) IsHistory() bool { return v.end > 0 }

// Copied is how many events are copied and not yet sent.
func (v *Interval) Copied() int { return len(v.buffer) - v.taken }

// Reset empties the interval and keeps its memory.
func (v *Interval) Reset() {
	clear(v.buffer)
	*v = Interval{buffer: v.buffer[:0]}
}

// Own implements state.Owner: what was sent already is dropped.
func (v *Interval) Own() { v.buffer, v.taken = append([]Event(nil), v.buffer[v.taken:]...), 0 }

// Behind is how far the history has moved past what is still to be copied: part
// of a fingerprint.
func (v *Interval) Behind(s *Store) int { return max(v.index-s.history.startIndex, -1) }

// Digest implements state.Digester: it is of what is still to be sent.
func (v *Interval) Digest(d sim.Digest) sim.Digest {
	d = d.Int(int64(v.end - v.index))
	for i := v.taken; i < len(v.buffer); i++ {
		d = v.buffer[i].Digest(d)
	}
	return d
}

// View is one state as a list reads it: the newest, or a past one. It is good
// until the end of the step.
type View struct {
	// ResourceVersion of the state.
	ResourceVersion int64
	// Snapshot is the resourceVersion of the snapshot that the state is taken from,
	// 0 if it is the newest state.
	Snapshot int64

	objects objects
	// changes are those of the contents that the state is of, nil if they may be of others.
	changes *changes
	// resource is the prefix that all objects have.
	resource string
	// indices follow the newest state and have no past.
	indices []index
}

// Len is the number of objects.
func (v *View) Len() int { return v.objects.tree.Len() }

// Ascend calls f for the objects under a prefix whose keys are from or later, in
// key order, until f says stop. An empty from is the first one.
func (v *View) Ascend(prefix, from string, f func(*wire.KeyValue) bool) {
	v.objects.ascend(whole(prefix, v.resource), from, f)
}

// Counts reports whether Count takes no look at each object.
func (v *View) Counts() bool { return v.changes != nil && v.changes.from != nil }

// Count is how many objects Ascend would go through, if the view Counts.
func (v *View) Count(prefix, from string) int {
	return v.changes.count(v.objects, whole(prefix, v.resource), from)
}

// IndexFor is a field that this state has an index of, and the one value of it that a selector
// requires (SelectionPredicate.MatcherIndex); empty if there is none.
func (v *View) IndexFor(s wire.Selector) (field, value string) {
	for i := range v.indices {
		field = v.indices[i].field.Name
		if value, ok := s.RequiresExactMatch(field); ok {
			return field, value
		}
	}
	return "", ""
}

// AscendIndexed is Ascend over the objects with one value of a field that there is an index
// of, without a look at any other.
func (v *View) AscendIndexed(field, value, prefix, from string, f func(*wire.KeyValue) bool) {
	for i := range v.indices {
		if v.indices[i].field.Name == field {
			v.indices[i].ascend(value, prefix, from, f)
			return
		}
	}
}
