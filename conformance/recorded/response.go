package recorded

import (
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// Response is one message from the server.
type Response struct {
	// Revision is the header's.
	Revision        int64   `json:"revision"`
	ID              int64   `json:"id"`
	Created         bool    `json:"created,omitempty"`
	Canceled        bool    `json:"canceled,omitempty"`
	CancelReason    string  `json:"cancelReason,omitempty"`
	CompactRevision int64   `json:"compactRevision,omitempty"`
	Fragment        bool    `json:"fragment,omitempty"`
	Events          []Event `json:"events,omitempty"`
}

// Event is one change of one key. A deletion has a key and a mod revision only.
type Event struct {
	Type string `json:"type"` // "put", "delete"
	Item
	Prev *Item `json:"prev,omitempty"`
}

// Item is a key at one revision.
type Item struct {
	Key     string `json:"key"`
	Value   string `json:"value,omitempty"`
	Size    int    `json:"size,omitempty"`
	Create  int64  `json:"create,omitempty"`
	Mod     int64  `json:"mod,omitempty"`
	Version int64  `json:"version,omitempty"`
}

// longValue is the size from which on values are not spelled out.
const longValue = 64

// origin translates revisions of a server that has a past: the revision at
// which the script began counts as 1.
type origin int64

// toScript leaves 0 alone, which means "none" wherever etcd sends it.
func (o origin) toScript(rev int64) int64 {
	if rev == 0 {
		return 0
	}
	return rev - int64(o) + 1
}

// toServer leaves 0 ("from now on") and what is negative alone.
func (o origin) toServer(rev int64) int64 {
	if rev <= 0 {
		return rev
	}
	return rev + int64(o) - 1
}

func (o origin) response(r *pb.WatchResponse) Response {
	out := Response{
		Revision:        o.toScript(r.Header.GetRevision()),
		ID:              r.WatchId,
		Created:         r.Created,
		Canceled:        r.Canceled,
		CancelReason:    r.CancelReason,
		CompactRevision: o.toScript(r.CompactRevision),
		Fragment:        r.Fragment,
	}
	for _, ev := range r.Events {
		e := Event{Type: strings.ToLower(ev.Type.String()), Item: o.item(ev.Kv)}
		if ev.PrevKv != nil {
			prev := o.item(ev.PrevKv)
			e.Prev = &prev
		}
		out.Events = append(out.Events, e)
	}
	return out
}

func (o origin) item(kv *mvccpb.KeyValue) Item {
	it := Item{
		Key:     string(kv.Key),
		Create:  o.toScript(kv.CreateRevision),
		Mod:     o.toScript(kv.ModRevision),
		Version: kv.Version,
	}
	if len(kv.Value) < longValue {
		it.Value = string(kv.Value)
	} else {
		it.Size = len(kv.Value)
	}
	return it
}
