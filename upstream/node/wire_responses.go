package node

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// WriteKV writes a key with its value and its revisions.
func WriteKV(w *protocol.Writer, kv *wire.KeyValue) {
	w.Text(kv.Key).Text(kv.Value).Int(kv.CreateRevision).Int(kv.ModRevision).Int(kv.Version).Int(kv.Lease)
}

func writeKVs(w *protocol.Writer, all ...*wire.KeyValue) {
	w.Int(int64(len(all)))
	for _, kv := range all {
		WriteKV(w, kv)
	}
}

// WriteRanged writes a RangeResponse without its kind.
func WriteRanged(w *protocol.Writer, p *wire.RangeResponse) {
	writeKVs(w.Int(p.Revision).Bool(p.More).Int(p.Count), p.Kvs...)
}

// WriteDid writes an answer of etcd's KV API. It reports whether p is one.
func WriteDid(w *protocol.Writer, p sim.Payload) bool {
	switch p := p.(type) {
	case *wire.RangeResponse:
		WriteRanged(w.Byte(protocol.OpRange), p)
	case *wire.PutResponse:
		w.Byte(protocol.OpPut).Int(p.Revision)
		if p.PrevKv != nil {
			writeKVs(w, p.PrevKv)
		} else {
			writeKVs(w)
		}
	case *wire.DeleteRangeResponse:
		writeKVs(w.Byte(protocol.OpDeleteRange).Int(p.Revision).Int(p.Deleted), p.PrevKvs...)
	case *wire.TxnResponse:
		w.Byte(protocol.OpTxn).Int(p.Revision).Bool(p.Succeeded).Int(int64(len(p.Responses)))
		for i := range p.Responses {
			switch op := &p.Responses[i]; {
			case op.Range != nil:
				WriteDid(w, op.Range)
			case op.Put != nil:
				WriteDid(w, op.Put)
			case op.DeleteRange != nil:
				WriteDid(w, op.DeleteRange)
			case op.Txn != nil:
				WriteDid(w, op.Txn)
			}
		}
	default:
		return false
	}
	return true
}

// ReadKV reads a key with its value and its revisions.
func ReadKV(r *protocol.Reader) *wire.KeyValue {
	return &wire.KeyValue{Key: r.Text(), Value: r.Text(), CreateRevision: r.Int(), ModRevision: r.Int(), Version: r.Int(), Lease: r.Int()}
}

func readKVs(r *protocol.Reader) []*wire.KeyValue {
	var all []*wire.KeyValue
	for range r.Int() {
		all = append(all, ReadKV(r))
	}
	return all
}

// ReadDid reads an answer of etcd's KV API.
func ReadDid(r *protocol.Reader) sim.Payload {
	switch kind := r.Byte(); kind {
	case protocol.OpRange:
		return &wire.RangeResponse{Revision: r.Int(), More: r.Bool(), Count: r.Int(), Kvs: readKVs(r)}
	case protocol.OpPut:
		p := &wire.PutResponse{Revision: r.Int()}
		if previous := readKVs(r); len(previous) > 0 {
			p.PrevKv = previous[0]
		}
		return p
	case protocol.OpDeleteRange:
		return &wire.DeleteRangeResponse{Revision: r.Int(), Deleted: r.Int(), PrevKvs: readKVs(r)}
	case protocol.OpTxn:
		p := &wire.TxnResponse{Revision: r.Int(), Succeeded: r.Bool()}
		for range r.Int() {
			p.Responses = append(p.Responses, responseOp(ReadDid(r)))
		}
		return p
	default:
		panic(fmt.Sprintf("node: the guest answers an operation of kind %d", kind))
	}
}

func responseOp(p sim.Payload) wire.ResponseOp {
	switch p := p.(type) {
	case *wire.RangeResponse:
		return wire.ResponseOp{Range: p}
	case *wire.PutResponse:
		return wire.ResponseOp{Put: p}
	case *wire.DeleteRangeResponse:
		return wire.ResponseOp{DeleteRange: p}
	default:
		return wire.ResponseOp{Txn: p.(*wire.TxnResponse)}
	}
}
