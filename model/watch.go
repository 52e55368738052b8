package model

// EventType is what happened to a key.
type EventType uint8

// The event types of etcd. A cache's Added and Modified are both PutEvent.
const (
	PutEvent EventType = iota
	DeleteEvent
)

var eventTypeNames = [...]string{"put", "delete"}

func (t EventType) String() string { return eventTypeNames[t] }

// WatchRequest is what a watcher asked for.
type WatchRequest struct {
	// Key and End are etcd's range, as in Request.
	Key, End string
	// StartRevision is that of the first event to be sent; 0 is the one after
	// that of the Created response.
	StartRevision int64
	// PrevKV asks for the item before each event, NoPut and NoDelete are
	// filters. ProgressNotify asks for bookmarks from time to time.
	PrevKV, NoPut, NoDelete, ProgressNotify bool
	// Values is what the values of the watched items look like, as in Selection: a
	// write can make an item appear, or cease to exist, for this watch alone.
	Values ValuePattern
}

// WatchEvent is one change of one key. Of a deletion, Item has the key. What else
// it has is not judged: etcd and Kubernetes differ in it.
type WatchEvent struct {
	Type     EventType
	Item     *Item
	PrevItem *Item
	Revision int64
}

// WatchResponse is one message to a watcher. One without events is Created, is
// Progress (a bookmark: all events up to Revision have been sent), or ends the
// stream.
type WatchResponse struct {
	Revision int64
	Events   []WatchEvent
	Created  bool
	Progress bool
	// Fragment says that the next response belongs to this one.
	Fragment bool
	// Canceled ends the stream; CompactRevision is set if it was because the
	// history that the watcher needs is gone.
	Canceled        bool
	CompactRevision int64
}

// WatchStream is one request and what came back, up to the end of the stream or
// of the recording. A watcher that resumes has several.
type WatchStream struct {
	Request   WatchRequest
	Responses []WatchResponse
	// Listed: the watcher listed everything before it asked for this stream, and
	// starts after what the list showed. Nothing earlier is owed to it.
	Listed bool
	// Parts: each event is a message of its own, as Kubernetes sends them. The stream may end in the middle of a
	// revision.
	Parts bool
}

// Changes are those of a revision as this watch sees them, in key order. Filters count
// for nothing here, nor does the range of keys.
func (r *WatchRequest) Changes(l *Log, rev int64) []WatchEvent {
	all := l.events(rev)
	if r.Values == (ValuePattern{}) {
		return all
	}
	var seen []WatchEvent
	for _, e := range all {
		e.PrevItem = r.Selected(e.PrevItem)
		is := e.Item
		if e.Type == DeleteEvent {
			is = nil
		}
		switch {
		case r.Selected(is) != nil:
			seen = append(seen, e)
		case e.PrevItem != nil:
			seen = append(seen, WatchEvent{Type: DeleteEvent, Item: &Item{Key: e.Item.Key, ModRevision: rev}, PrevItem: e.PrevItem, Revision: rev})
		}
	}
	return seen
}

// Selected is the item, or nil if this watch does not see it.
func (r *WatchRequest) Selected(it *Item) *Item {
	if it == nil || !r.Values.Fits(it) {
		return nil
	}
	return it
}

// Wants reports whether the event is to be sent to the watcher.
func (r *WatchRequest) Wants(t EventType, key string) bool {
	filtered := t == PutEvent && r.NoPut || t == DeleteEvent && r.NoDelete
	return InRange(key, r.Key, r.End) && !filtered
}
