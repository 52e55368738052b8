package realetcd

import (
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/watchbed/watchbed/sim/wire"
)

func txnResponse(r *pb.TxnResponse) *wire.TxnResponse {
	out := &wire.TxnResponse{Revision: r.Header.GetRevision(), Succeeded: r.Succeeded}
	for _, op := range r.Responses {
		var o wire.ResponseOp
		switch {
		case op.GetResponseRange() != nil:
			o.Range = rangeResponse(op.GetResponseRange())
		case op.GetResponsePut() != nil:
			o.Put = putResponse(op.GetResponsePut())
		case op.GetResponseDeleteRange() != nil:
			o.DeleteRange = deleteResponse(op.GetResponseDeleteRange())
		case op.GetResponseTxn() != nil:
			o.Txn = txnResponse(op.GetResponseTxn())
		}
		out.Responses = append(out.Responses, o)
	}
	return out
}

func rangeResponse(r *pb.RangeResponse) *wire.RangeResponse {
	return &wire.RangeResponse{Revision: r.Header.GetRevision(), Kvs: keyValues(r.Kvs), More: r.More, Count: r.Count}
}

func putResponse(r *pb.PutResponse) *wire.PutResponse {
	return &wire.PutResponse{Revision: r.Header.GetRevision(), PrevKv: keyValue(r.PrevKv)}
}

func deleteResponse(r *pb.DeleteRangeResponse) *wire.DeleteRangeResponse {
	return &wire.DeleteRangeResponse{Revision: r.Header.GetRevision(), Deleted: r.Deleted, PrevKvs: keyValues(r.PrevKvs)}
}

// timeToLiveResponse has the keys in their order, as the simulation does; etcd has none.
func timeToLiveResponse(r *pb.LeaseTimeToLiveResponse) *wire.LeaseTimeToLiveResponse {
	out := &wire.LeaseTimeToLiveResponse{Revision: r.Header.GetRevision(), ID: r.ID, TTL: r.TTL, GrantedTTL: r.GrantedTTL}
	for _, key := range r.Keys {
		out.Keys = append(out.Keys, string(key))
	}
	slices.Sort(out.Keys)
	return out
}

// WatchResponse is a response on a watch stream.
func WatchResponse(r *pb.WatchResponse) *wire.WatchResponse {
	out := &wire.WatchResponse{
		Revision: r.Header.GetRevision(), WatchID: r.WatchId, Created: r.Created, Canceled: r.Canceled,
		CompactRevision: r.CompactRevision, CancelReason: r.CancelReason, Fragment: r.Fragment,
	}
	for _, e := range r.Events {
		event := wire.Event{Kv: keyValue(e.Kv), PrevKv: keyValue(e.PrevKv)}
		if e.Type == mvccpb.DELETE {
			event.Type = wire.Delete
		}
		out.Events = append(out.Events, event)
	}
	return out
}

func keyValues(kvs []*mvccpb.KeyValue) (out []*wire.KeyValue) {
	for _, kv := range kvs {
		out = append(out, keyValue(kv))
	}
	return out
}

func keyValue(kv *mvccpb.KeyValue) *wire.KeyValue {
	if kv == nil {
		return nil
	}
	return &wire.KeyValue{
		Key: string(kv.Key), Value: string(kv.Value),
		CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version, Lease: kv.Lease,
	}
}
