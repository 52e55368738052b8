package wire

import "github.com/watchbed/watchbed/sim"

// InvalidWatchID is the watch id of a response that speaks for all watchers of
// its stream.
const InvalidWatchID int64 = -1

// AutoWatchID lets the server pick the id.
const AutoWatchID int64 = 0

// EventType is mvccpb.Event_EventType.
type EventType uint8

// The event types.
const (
	Put EventType = iota
	Delete
)

// Event is mvccpb.Event. A Delete's Kv holds the key and the revision of the
// deletion only.
type Event struct {
	Type   EventType
	Kv     *KeyValue
	PrevKv *KeyValue
}

// FilterType is etcdserverpb.WatchCreateRequest_FilterType.
type FilterType uint8

// The filters, as a bit set.
const (
	NoPut FilterType = 1 << iota
	NoDelete
)

// WatchCreateRequest is etcdserverpb.WatchCreateRequest.
type WatchCreateRequest struct {
	Key, RangeEnd  string
	StartRevision  int64
	ProgressNotify bool
	Filters        FilterType
	PrevKv         bool
	WatchID        int64
	Fragment       bool
	// RequireLeader is gRPC metadata of the stream (clientv3.WithRequireLeader): it
	// counts on the first request only. The digest leaves it out, since all requests
	// of a client have it, or none.
	RequireLeader bool
}

func (r *WatchCreateRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("create").Text(r.Key).Text(r.RangeEnd).Int(r.StartRevision).Bool(r.ProgressNotify).
		Word(uint64(r.Filters)).Bool(r.PrevKv).Int(r.WatchID).Bool(r.Fragment)
}

func (r *WatchCreateRequest) Label() string {
	s := "create watch " + r.Key
	if r.RangeEnd != "" {
		s += "..."
	}
	return s + " from " + itoa(r.StartRevision)
}

// WatchCancelRequest is etcdserverpb.WatchCancelRequest.
type WatchCancelRequest struct {
	WatchID int64
}

func (r *WatchCancelRequest) Digest(d sim.Digest) sim.Digest { return d.Text("cancel").Int(r.WatchID) }
func (r *WatchCancelRequest) Label() string                  { return "cancel watch " + itoa(r.WatchID) }

// WatchProgressRequest is etcdserverpb.WatchProgressRequest: send the progress of
// all watchers of this stream.
type WatchProgressRequest struct {
	// ID is echoed in the answer, by a server that does so: the idea of
	// KEP-2340's first draft, "Potential Future Improvements". No release of etcd
	// has it; 0 is none.
	ID int64
	// RequireLeader as in WatchCreateRequest.
	RequireLeader bool
}

func (r *WatchProgressRequest) Digest(d sim.Digest) sim.Digest { return d.Text("progress?").Set(r.ID) }
func (r *WatchProgressRequest) Label() string                  { return "progress request" }

// WatchResponse is etcdserverpb.WatchResponse; Revision is its header's.
type WatchResponse struct {
	Headed
	Revision        int64
	WatchID         int64
	Created         bool
	Canceled        bool
	CompactRevision int64
	CancelReason    string
	Fragment        bool
	Events          []Event
	// ProgressID is the WatchProgressRequest.ID that a progress notification
	// answers; 0 is none.
	ProgressID int64
}

// IsProgressNotify reports whether the response carries nothing but its
// revision: the promise that everything up to it was delivered before.
func (r *WatchResponse) IsProgressNotify() bool {
	return len(r.Events) == 0 && !r.Canceled && !r.Created && r.CompactRevision == 0 && r.Revision != 0
}

func (r *WatchResponse) Digest(d sim.Digest) sim.Digest {
	d = d.Text("watch").Int(r.Revision).Int(r.WatchID).Bool(r.Created).Bool(r.Canceled).
		Int(r.CompactRevision).Text(r.CancelReason).Bool(r.Fragment)
	return DigestEvents(d.Set(r.ProgressID), r.Events)
}

// DigestEvents mixes events into d.
func DigestEvents(d sim.Digest, events []Event) sim.Digest {
	d = d.Int(int64(len(events)))
	for i := range events {
		e := &events[i]
		d = e.PrevKv.Digest(e.Kv.Digest(d.Word(uint64(e.Type))))
	}
	return d
}

func (r *WatchResponse) Label() string {
	rev := itoa(r.Revision)
	switch {
	case r.CompactRevision != 0:
		return "canceled: compacted at " + itoa(r.CompactRevision)
	case r.Canceled:
		return "canceled: " + r.CancelReason
	case r.Created:
		return "created, rev " + rev
	case len(r.Events) == 0:
		return "progress " + rev
	}
	s := "event"
	for i := range r.Events {
		if i == 3 {
			return s + " ..."
		}
		s += " " + r.Events[i].label()
	}
	return s
}

func (e *Event) label() string {
	if e.Type == Delete {
		return "-" + e.Kv.Key + "@" + itoa(e.Kv.ModRevision)
	}
	return e.Kv.Key + "=" + e.Kv.Value + "@" + itoa(e.Kv.ModRevision)
}

// Entry is the response as a part of the state of a node that has it.
func (r *WatchResponse) Entry() sim.Entry {
	e := sim.Entry{Text: r.Label()}
	if n := len(r.Events); n > 0 {
		e.First, e.Last = r.Events[0].Kv.ModRevision, r.Events[n-1].Kv.ModRevision
	}
	if r.IsProgressNotify() {
		e.UpTo = r.Revision
	}
	return e
}
