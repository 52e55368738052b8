//go:build wasip1

package main

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// readBytes reads a text. One that is empty is nil, as on the wire of gRPC.
func readBytes(r *protocol.Reader) []byte {
	if text := r.Text(); text != "" {
		return []byte(text)
	}
	return nil
}

func readRange(r *protocol.Reader) *pb.RangeRequest {
	return &pb.RangeRequest{
		Key: readBytes(r), RangeEnd: readBytes(r), Limit: r.Int(), Revision: r.Int(), Serializable: r.Bool(), KeysOnly: r.Bool(), CountOnly: r.Bool(),
		SortOrder: pb.RangeRequest_SortOrder(r.Byte()), SortTarget: pb.RangeRequest_SortTarget(r.Byte()),
		MinModRevision: r.Int(), MaxModRevision: r.Int(), MinCreateRevision: r.Int(), MaxCreateRevision: r.Int(),
	}
}

func readPut(r *protocol.Reader) *pb.PutRequest {
	return &pb.PutRequest{Key: readBytes(r), Value: readBytes(r), PrevKv: r.Bool(), IgnoreValue: r.Bool(), Lease: r.Int(), IgnoreLease: r.Bool()}
}

func readDeleteRange(r *protocol.Reader) *pb.DeleteRangeRequest {
	return &pb.DeleteRangeRequest{Key: readBytes(r), RangeEnd: readBytes(r), PrevKv: r.Bool()}
}

func readTxn(r *protocol.Reader) *pb.TxnRequest {
	t := &pb.TxnRequest{}
	for range r.Int() {
		t.Compare = append(t.Compare, readCompare(r))
	}
	for _, branch := range []*[]*pb.RequestOp{&t.Success, &t.Failure} {
		for range r.Int() {
			*branch = append(*branch, readOp(r))
		}
	}
	return t
}

func readCompare(r *protocol.Reader) *pb.Compare {
	c := &pb.Compare{
		Key: readBytes(r), RangeEnd: readBytes(r), Target: pb.Compare_CompareTarget(r.Byte()), Result: pb.Compare_CompareResult(r.Byte()),
	}
	switch operand, value := r.Int(), readBytes(r); c.Target {
	case pb.Compare_VERSION:
		c.TargetUnion = &pb.Compare_Version{Version: operand}
	case pb.Compare_CREATE:
		c.TargetUnion = &pb.Compare_CreateRevision{CreateRevision: operand}
	case pb.Compare_MOD:
		c.TargetUnion = &pb.Compare_ModRevision{ModRevision: operand}
	case pb.Compare_LEASE:
		c.TargetUnion = &pb.Compare_Lease{Lease: operand}
	case pb.Compare_VALUE:
		c.TargetUnion = &pb.Compare_Value{Value: value}
	}
	return c
}

// readOp reads an operation of a transaction.
func readOp(r *protocol.Reader) *pb.RequestOp {
	switch r.Byte() {
	case protocol.OpRange:
		return &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: readRange(r)}}
	case protocol.OpPut:
		return &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: readPut(r)}}
	case protocol.OpDeleteRange:
		return &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: readDeleteRange(r)}}
	default:
		return &pb.RequestOp{Request: &pb.RequestOp_RequestTxn{RequestTxn: readTxn(r)}}
	}
}

func writeKV(w *protocol.Writer, kv *mvccpb.KeyValue) {
	w.Text(string(kv.Key)).Text(string(kv.Value)).Int(kv.CreateRevision).Int(kv.ModRevision).Int(kv.Version).Int(kv.Lease)
}

func writeKVs(w *protocol.Writer, all ...*mvccpb.KeyValue) {
	w.Int(int64(len(all)))
	for _, kv := range all {
		writeKV(w, kv)
	}
}

func writeRanged(w *protocol.Writer, p *pb.RangeResponse) {
	writeKVs(w.Int(p.GetHeader().GetRevision()).Bool(p.More).Int(p.Count), p.Kvs...)
}

func writePutDone(w *protocol.Writer, p *pb.PutResponse) {
	w.Int(p.GetHeader().GetRevision())
	if p.PrevKv != nil {
		writeKVs(w, p.PrevKv)
	} else {
		writeKVs(w)
	}
}

func writeDeleted(w *protocol.Writer, p *pb.DeleteRangeResponse) {
	writeKVs(w.Int(p.GetHeader().GetRevision()).Int(p.Deleted), p.PrevKvs...)
}

func writeTxned(w *protocol.Writer, p *pb.TxnResponse) {
	w.Int(p.GetHeader().GetRevision()).Bool(p.Succeeded).Int(int64(len(p.Responses)))
	for _, did := range p.Responses {
		switch x := did.Response.(type) {
		case *pb.ResponseOp_ResponseRange:
			writeRanged(w.Byte(protocol.OpRange), x.ResponseRange)
		case *pb.ResponseOp_ResponsePut:
			writePutDone(w.Byte(protocol.OpPut), x.ResponsePut)
		case *pb.ResponseOp_ResponseDeleteRange:
			writeDeleted(w.Byte(protocol.OpDeleteRange), x.ResponseDeleteRange)
		case *pb.ResponseOp_ResponseTxn:
			writeTxned(w.Byte(protocol.OpTxn), x.ResponseTxn)
		}
	}
}
