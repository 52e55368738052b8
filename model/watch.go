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

// WatchPosition is what the verdicts on later responses of a stream depend on, beside its
// request, ground truth, and which changes came. That is so for each guarantee that the
// stream does not violate so far: then its last event has the newest revision that came,
// and only the rest of a response in fragments is missing.
type WatchPosition struct {
	// Start is the revision of the first event to be sent, 0 while it is not known. A
	// negative one is that of a request which etcd has not answered.
	Start int64
	// Whole is the revision with which the newest response with events ended: none of its
	// events may come any more. 0 if a fragment came, which the next response goes on.
	Whole int64
	// Marked is the newest bookmark, 0 if there is none.
	Marked int64
}

// Position is where the stream is after its responses.
func (ws *WatchStream) Position() WatchPosition {
	p := atStart(&ws.Request)
	for i := range ws.Responses {
		r := &ws.Responses[i]
		p.begin(r)
		p.ends(r)
	}
	return p
}

func atStart(r *WatchRequest) WatchPosition {
	return WatchPosition{Start: r.StartRevision}
}

// begun reports whether Start is known.
func (p *WatchPosition) begun() bool { return p.Start > 0 }

// begin is the position in which the events of a response are judged.
func (p *WatchPosition) begin(r *WatchResponse) {
	if r.Created && !p.begun() {
		p.Start = r.Revision + 1
	}
}

// ends is the position behind a response.
func (p *WatchPosition) ends(r *WatchResponse) {
	if r.Progress {
		p.Marked = max(p.Marked, r.Revision)
	}
	if n := len(r.Events); n > 0 {
		p.Whole = r.Events[n-1].Revision
	}
	if r.Fragment {
		p.Whole = 0
	}
}

// Covered is the revision up to which a watcher knows everything after all its streams, 0
// if etcd said that history is gone: a later stream must not leave out what follows.
func Covered(streams []WatchStream) int64 {
	covered := int64(0)
	for i := range streams {
		covered = streams[i].Covers(covered)
	}
	return covered
}

// Covers is the revision up to which a watcher knows everything after a stream, by that before it.
func (ws *WatchStream) Covers(before int64) int64 { return ws.coveredAfter(ws.coveredBefore(before)) }

func (ws *WatchStream) coveredBefore(covered int64) int64 {
	if ws.Listed {
		return ws.Request.StartRevision - 1
	}
	return covered
}

func (ws *WatchStream) coveredAfter(covered int64) int64 {
	for i := range ws.Responses {
		r := &ws.Responses[i]
		for k := range r.Events {
			covered = max(covered, r.Events[k].Revision)
		}
		if r.CompactRevision > 0 {
			covered = 0
		}
	}
	return covered
}
