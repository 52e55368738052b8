package store

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Event is a change as the cache keeps it and hands it to watchers: upstream's
// watchCacheEvent.
type Event struct {
	// ForWatchers is what a watcher is sent; nil if there is nothing to send, as
	// with the end of an object that the cache never had.
	ForWatchers     *wire.WatchEvent
	ResourceVersion int64
	// RecordTime is when the change came in; it stands still when untimed.
	RecordTime sim.Time
	// Bookmark: there is no change, only a resourceVersion.
	Bookmark bool
}

// Digest implements state.Digester.
func (e *Event) Digest(d sim.Digest) sim.Digest {
	d = d.Int(e.ResourceVersion).Int(int64(e.RecordTime)).Bool(e.Bookmark)
	if e.ForWatchers != nil {
		return e.ForWatchers.Digest(d)
	}
	return d
}

// Bytes are those of the key and the value.
func (e *Event) Bytes() int {
	if e.ForWatchers == nil || e.ForWatchers.Item == nil {
		return 0
	}
	return len(e.ForWatchers.Item.Key) + len(e.ForWatchers.Item.Value)
}

// forWatchers is the change as a watcher of the cache sees it: the type, and
// with Deleted the object, follow from the store before the change, not from
// what etcd's event says (cacheWatcher.convertToWatchEvent). In a healthy cache
// the two agree, and the event is passed on as it is.
func (s *Store) forWatchers(in *wire.WatchEvent, previous *wire.KeyValue, exists bool) *wire.WatchEvent {
	if in.Type == wire.Deleted {
		if !exists {
			return nil
		}
		rv := in.ResourceVersion
		if s.cfg.DeletionsHavePreviousRV {
			rv = previous.ModRevision
		} else if same(in.Item, previous) {
			return in
		}
		return &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: rv, Item: previous, Prev: previous}
	}
	want := wire.Added
	if exists {
		want = wire.Modified
	}
	if in.Type == want && (!exists || in.Prev != nil && same(in.Prev, previous)) {
		return in
	}
	return &wire.WatchEvent{Type: want, ResourceVersion: in.ResourceVersion, Item: in.Item, Prev: previous}
}

func same(a, b *wire.KeyValue) bool { return a == b || *a == *b }
