//go:build wasip1

package main

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/watchbed/watchbed/upstream/protocol"
)

func readWatchRequest(kind protocol.Kind, r *protocol.Reader) *pb.WatchRequest {
	switch kind {
	case protocol.CreateWatch:
		c := &pb.WatchCreateRequest{Key: []byte(r.Text()), RangeEnd: []byte(r.Text()), StartRevision: r.Int(), ProgressNotify: r.Bool()}
		filters := r.Byte()
		for f := range pb.WatchCreateRequest_FilterType_name {
			if filters&(1<<f) != 0 {
				c.Filters = append(c.Filters, pb.WatchCreateRequest_FilterType(f))
			}
		}
		c.PrevKv, c.WatchId, c.Fragment = r.Bool(), r.Int(), r.Bool()
		return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: c}}
	case protocol.CancelWatch:
		return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CancelRequest{CancelRequest: &pb.WatchCancelRequest{WatchId: r.Int()}}}
	default:
		return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{ProgressRequest: &pb.WatchProgressRequest{}}}
	}
}

func readKV(r *protocol.Reader) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{
		Key: []byte(r.Text()), Value: []byte(r.Text()), CreateRevision: r.Int(), ModRevision: r.Int(), Version: r.Int(), Lease: r.Int(),
	}
}

func writeKV(w *protocol.Writer, kv *mvccpb.KeyValue) {
	w.Text(string(kv.Key)).Text(string(kv.Value)).Int(kv.CreateRevision).Int(kv.ModRevision).Int(kv.Version).Int(kv.Lease)
}

func writeWatchResponse(w *protocol.Writer, p *pb.WatchResponse) *protocol.Writer {
	w.Int(p.Header.Revision).Int(p.WatchId).Bool(p.Created).Bool(p.Canceled).Int(p.CompactRevision).Text(p.CancelReason).
		Bool(p.Fragment).Int(int64(len(p.Events)))
	for _, e := range p.Events {
		w.Byte(byte(e.Type))
		writeKV(w, e.Kv)
		w.Bool(e.PrevKv != nil)
		if e.PrevKv != nil {
			writeKV(w, e.PrevKv)
		}
	}
	return w
}
