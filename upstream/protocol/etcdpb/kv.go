//go:build wasip1

package etcdpb

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// ReadBytes reads a text. One that is empty is nil, as on the wire of gRPC.
func ReadBytes(r *protocol.Reader) []byte {
	if text := r.Text(); text != "" {
		return []byte(text)
	}
	return nil
}

// ReadCompare reads a compare of a transaction.
func ReadCompare(r *protocol.Reader) *pb.Compare {
	c := &pb.Compare{
		Key: ReadBytes(r), RangeEnd: ReadBytes(r), Target: pb.Compare_CompareTarget(r.Byte()), Result: pb.Compare_CompareResult(r.Byte()),
	}
	switch operand, value := r.Int(), ReadBytes(r); c.Target {
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

// ReadKV reads a key with its value and its revisions.
func ReadKV(r *protocol.Reader) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{
		Key: []byte(r.Text()), Value: []byte(r.Text()), CreateRevision: r.Int(), ModRevision: r.Int(), Version: r.Int(), Lease: r.Int(),
	}
}

// WriteKV writes a key with its value and its revisions.
func WriteKV(w *protocol.Writer, kv *mvccpb.KeyValue) {
	w.Text(string(kv.Key)).Text(string(kv.Value)).Int(kv.CreateRevision).Int(kv.ModRevision).Int(kv.Version).Int(kv.Lease)
}

func writeKVs(w *protocol.Writer, all ...*mvccpb.KeyValue) {
	w.Int(int64(len(all)))
	for _, kv := range all {
		WriteKV(w, kv)
	}
}

// WriteRanged writes what a range is answered.
func WriteRanged(w *protocol.Writer, p *pb.RangeResponse) {
	writeKVs(w.Int(p.GetHeader().GetRevision()).Bool(p.More).Int(p.Count), p.Kvs...)
}

// WritePutDone writes what a put is answered.
func WritePutDone(w *protocol.Writer, p *pb.PutResponse) {
	w.Int(p.GetHeader().GetRevision())
	if p.PrevKv != nil {
		writeKVs(w, p.PrevKv)
	} else {
		writeKVs(w)
	}
}

// WriteDeleted writes what a deletion is answered.
func WriteDeleted(w *protocol.Writer, p *pb.DeleteRangeResponse) {
	writeKVs(w.Int(p.GetHeader().GetRevision()).Int(p.Deleted), p.PrevKvs...)
}

// WriteTxned writes what a transaction is answered.
func WriteTxned(w *protocol.Writer, p *pb.TxnResponse) {
	w.Int(p.GetHeader().GetRevision()).Bool(p.Succeeded).Int(int64(len(p.Responses)))
	for _, did := range p.Responses {
		switch x := did.Response.(type) {
		case *pb.ResponseOp_ResponseRange:
			WriteRanged(w.Byte(protocol.OpRange), x.ResponseRange)
		case *pb.ResponseOp_ResponsePut:
			WritePutDone(w.Byte(protocol.OpPut), x.ResponsePut)
		case *pb.ResponseOp_ResponseDeleteRange:
			WriteDeleted(w.Byte(protocol.OpDeleteRange), x.ResponseDeleteRange)
		case *pb.ResponseOp_ResponseTxn:
			WriteTxned(w.Byte(protocol.OpTxn), x.ResponseTxn)
		}
	}
}
