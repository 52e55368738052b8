package apiserver

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/watchbed/watchbed/upstream/protocol"
)

func writeRange(w *protocol.Writer, r *pb.RangeRequest) {
	w.Text(string(r.Key)).Text(string(r.RangeEnd)).Int(r.Limit).Int(r.Revision).
		Bool(r.Serializable).Bool(r.KeysOnly).Bool(r.CountOnly).
		Byte(byte(r.SortOrder)).Byte(byte(r.SortTarget)).
		Int(r.MinModRevision).Int(r.MaxModRevision).Int(r.MinCreateRevision).Int(r.MaxCreateRevision)
}

// isOptimistic reports whether a transaction is one of the storage's writes (OptimisticPut,
// OptimisticDelete): it changes one key that has a certain mod revision, and may read the key if it has another.
func isOptimistic(r *pb.TxnRequest) bool {
	return len(r.Compare) == 1 && r.Compare[0].Target == pb.Compare_MOD && r.Compare[0].Result == pb.Compare_EQUAL && len(r.Success) == 1 &&
		(r.Success[0].GetRequestPut() != nil || r.Success[0].GetRequestDeleteRange() != nil) && len(r.Failure) <= 1
}

func writeTxn(w *protocol.Writer, r *pb.TxnRequest) {
	put := r.Success[0].GetRequestPut()
	w.Text(string(r.Compare[0].Key)).Int(r.Compare[0].GetModRevision()).Bool(len(r.Failure) > 0).Bool(put != nil).Text(string(put.GetValue()))
}

// readTxned is the answer to such a transaction. The etcd3 store reads nothing of what it says of a put or a deletion.
func readTxned(r *protocol.Reader) *pb.TxnResponse {
	p := &pb.TxnResponse{Header: &pb.ResponseHeader{Revision: r.Int()}, Succeeded: r.Bool()}
	if !p.Succeeded && r.Bool() {
		p.Responses = []*pb.ResponseOp{{Response: &pb.ResponseOp_ResponseRange{ResponseRange: readRanged(r)}}}
	}
	return p
}

func writeWatchRequest(w *protocol.Writer, conn uint32, r *pb.WatchRequest) {
	switch x := r.RequestUnion.(type) {
	case *pb.WatchRequest_CreateRequest:
		c := x.CreateRequest
		filters := byte(0)
		for _, f := range c.Filters {
			filters |= 1 << f
		}
		w.Begin(protocol.CreateWatch, conn).Text(string(c.Key)).Text(string(c.RangeEnd)).Int(c.StartRevision).
			Bool(c.ProgressNotify).Byte(filters).Bool(c.PrevKv).Int(c.WatchId).Bool(c.Fragment)
	case *pb.WatchRequest_CancelRequest:
		w.Begin(protocol.CancelWatch, conn).Int(x.CancelRequest.WatchId)
	case *pb.WatchRequest_ProgressRequest:
		w.Begin(protocol.RequestProgress, conn)
	}
}

func readKV(r *protocol.Reader) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{
		Key: []byte(r.Text()), Value: []byte(r.Text()), CreateRevision: r.Int(), ModRevision: r.Int(), Version: r.Int(), Lease: r.Int(),
	}
}

func readRanged(r *protocol.Reader) *pb.RangeResponse {
	p := &pb.RangeResponse{Header: &pb.ResponseHeader{Revision: r.Int()}, More: r.Bool(), Count: r.Int()}
	p.Kvs = make([]*mvccpb.KeyValue, r.Int())
	for i := range p.Kvs {
		p.Kvs[i] = readKV(r)
	}
	return p
}

func readWatchResponse(r *protocol.Reader) *pb.WatchResponse {
	p := &pb.WatchResponse{
		Header: &pb.ResponseHeader{Revision: r.Int()}, WatchId: r.Int(), Created: r.Bool(), Canceled: r.Bool(),
		CompactRevision: r.Int(), CancelReason: r.Text(), Fragment: r.Bool(),
	}
	p.Events = make([]*mvccpb.Event, r.Int())
	for i := range p.Events {
		e := &mvccpb.Event{Type: mvccpb.Event_EventType(r.Byte()), Kv: readKV(r)}
		if r.Bool() {
			e.PrevKv = readKV(r)
		}
		p.Events[i] = e
	}
	return p
}

// readError is an error of etcd, as the gRPC library of its clients gives it.
func readError(r *protocol.Reader) error {
	switch code, message := r.Byte(), r.Text(); code {
	case protocol.ErrCompacted:
		return rpctypes.ErrGRPCCompacted
	case protocol.ErrFutureRev:
		return rpctypes.ErrGRPCFutureRev
	case protocol.NoLeader:
		return rpctypes.ErrGRPCNoLeader
	case protocol.Unavailable:
		return status.Error(codes.Unavailable, message)
	case protocol.Unimplemented:
		return status.Error(codes.Unimplemented, message)
	case protocol.BadRequest:
		return status.Error(codes.InvalidArgument, message)
	default:
		return status.Error(codes.Unknown, message)
	}
}
