package clientnode

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/protocol"
)

func writeKV(w *protocol.Writer, kv *wire.KeyValue) {
	w.Text(kv.Key).Text(kv.Value).Int(kv.CreateRevision).Int(kv.ModRevision).Int(kv.Version).Int(kv.Lease)
}

func writeKVs(w *protocol.Writer, all ...*wire.KeyValue) {
	w.Int(int64(len(all)))
	for _, kv := range all {
		writeKV(w, kv)
	}
}

// writeDid writes what etcd answers. It reports whether that is an answer of its KV API.
func writeDid(w *protocol.Writer, p sim.Payload) bool {
	switch p := p.(type) {
	case *wire.RangeResponse:
		writeKVs(w.Byte(protocol.OpRange).Int(p.Revision).Bool(p.More).Int(p.Count), p.Kvs...)
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
				writeDid(w, op.Range)
			case op.Put != nil:
				writeDid(w, op.Put)
			case op.DeleteRange != nil:
				writeDid(w, op.DeleteRange)
			case op.Txn != nil:
				writeDid(w, op.Txn)
			}
		}
	default:
		return false
	}
	return true
}

func readKV(r *protocol.Reader) *wire.KeyValue {
	return &wire.KeyValue{Key: r.Text(), Value: r.Text(), CreateRevision: r.Int(), ModRevision: r.Int(), Version: r.Int(), Lease: r.Int()}
}

func readKVs(r *protocol.Reader) []*wire.KeyValue {
	var all []*wire.KeyValue
	for range r.Int() {
		all = append(all, readKV(r))
	}
	return all
}

// readDid reads what the guest answers a client.
func readDid(r *protocol.Reader) sim.Payload {
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
			p.Responses = append(p.Responses, responseOp(readDid(r)))
		}
		return p
	default:
		panic(fmt.Sprintf("clientnode: the guest answers an operation of kind %d", kind))
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

func writeWatchResponse(w *protocol.Writer, p *wire.WatchResponse) {
	w.Int(p.Revision).Int(p.WatchID).Bool(p.Created).Bool(p.Canceled).Int(p.CompactRevision).Text(p.CancelReason).
		Bool(p.Fragment).Int(int64(len(p.Events)))
	for i := range p.Events {
		e := &p.Events[i]
		w.Byte(byte(e.Type))
		writeKV(w, e.Kv)
		w.Bool(e.PrevKv != nil)
		if e.PrevKv != nil {
			writeKV(w, e.PrevKv)
		}
	}
}
