package shared

import "github.com/watchbed/watchbed/sim/wire"

// deltaKind is what a delta of the queue says (DeltaType).
type deltaKind uint8

const (
	added deltaKind = iota
	updated
	deleted
	// replaced is an object of a list, resynced one of a resync, if these are not one delta each.
	replaced
	resynced
	// replacedAll is a list, resyncedAll a resync, bookmark a resourceVersion.
	replacedAll
	resyncedAll
	bookmark
)

var deltaNames = [...]string{"Added", "Updated", "Deleted", "Replaced", "Sync", "ReplacedAll", "SyncAll", "Bookmark"}

// delta is an entry of the queue.
type delta struct {
	kind deltaKind
	// object is the one that it is about, nil if it is about all.
	object *wire.KeyValue
	// version is the resourceVersion that the store has afterwards; 0 leaves it, as a deletion does
	// whose last state is not known (DeletedFinalStateUnknown).
	version int64
	// objects are those of a list.
	objects []*wire.KeyValue
}

// ofOne reports whether it may be in a batch.
func (d *delta) ofOne() bool { return d.object != nil }

// deltaOf is that of an event of a watch.
func deltaOf(e *wire.WatchEvent) delta {
	d := delta{object: e.Item, version: e.ResourceVersion}
	switch e.Type {
	case wire.Added:
		d.kind = added
	case wire.Modified:
		d.kind = updated
	case wire.Deleted:
		d.kind = deleted
	default:
		d.kind, d.object = bookmark, nil
	}
	return d
}
