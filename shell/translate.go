package shell

import (
	"fmt"
	"unsafe"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/watchbed/watchbed/sim/wire"
)

func rangeOptions(r *wire.RangeRequest) []clientv3.OpOption {
	var opts []clientv3.OpOption
	if r.RangeEnd != "" {
		opts = append(opts, clientv3.WithRange(r.RangeEnd))
	}
	if r.Limit > 0 {
		opts = append(opts, clientv3.WithLimit(r.Limit))
	}
	if r.Revision > 0 {
		opts = append(opts, clientv3.WithRev(r.Revision))
	}
	if r.Serializable {
		opts = append(opts, clientv3.WithSerializable())
	}
	if r.KeysOnly {
		opts = append(opts, clientv3.WithKeysOnly())
	}
	if r.CountOnly {
		opts = append(opts, clientv3.WithCountOnly())
	}
	return opts
}

func rangeResponse(r *clientv3.GetResponse) *wire.RangeResponse {
	res := &wire.RangeResponse{Revision: r.Header.Revision, More: r.More, Count: r.Count}
	if len(r.Kvs) > 0 {
		res.Kvs = make([]*wire.KeyValue, len(r.Kvs))
	}
	for i, kv := range r.Kvs {
		res.Kvs[i] = keyValue(kv)
		// Pages are long and objects large: what was taken over goes at once.
		r.Kvs[i] = nil
	}
	return res
}

func keyValue(kv *mvccpb.KeyValue) *wire.KeyValue {
	return &wire.KeyValue{
		Key:            takeOver(kv.Key),
		Value:          takeOver(kv.Value),
		CreateRevision: kv.CreateRevision,
		ModRevision:    kv.ModRevision,
		Version:        kv.Version,
	}
}

// takeOver makes a string of bytes without copying them. Nothing writes to these
// bytes again: they belong to a protobuf message that was decoded for the shell.
// A copy would need memory for twice the store while the cache starts.
func takeOver(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// watchEvents is what etcd3's watcher makes of one response (parseEvent and
// transform). After an error nothing more comes.
func watchEvents(r *clientv3.WatchResponse) (events []*wire.WatchEvent, failed bool) {
	if err := r.Err(); err != nil {
		return []*wire.WatchEvent{{Type: wire.Failed, Err: refusal(err)}}, true
	}
	if r.IsProgressNotify() {
		return []*wire.WatchEvent{{Type: wire.Bookmark, ResourceVersion: r.Header.Revision}}, false
	}
	block := make([]wire.WatchEvent, len(r.Events))
	events = make([]*wire.WatchEvent, 0, len(r.Events))
	for i, e := range r.Events {
		block[i] = watchEvent(e)
		events = append(events, &block[i])
		if block[i].Type == wire.Failed {
			return events, true
		}
	}
	return events, false
}

func watchEvent(e *clientv3.Event) wire.WatchEvent {
	if e.PrevKv == nil && !e.IsCreate() {
		// etcd has compacted the value before (kubernetes #76675).
		return wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{
			Code:    wire.Internal,
			Message: fmt.Sprintf("etcd event received with PrevKv=nil (key=%q, modRevision=%d, type=%s)", e.Kv.Key, e.Kv.ModRevision, e.Type),
		}}
	}
	out := wire.WatchEvent{Type: wire.Modified, ResourceVersion: e.Kv.ModRevision}
	switch {
	case e.Type == clientv3.EventTypeDelete:
		// The object as it last was, at the revision that ended it (#58545).
		out.Type, out.Item = wire.Deleted, keyValue(e.PrevKv)
		out.Item.ModRevision = e.Kv.ModRevision
		return out
	case e.IsCreate():
		out.Type = wire.Added
	}
	out.Item = keyValue(e.Kv)
	return out
}
