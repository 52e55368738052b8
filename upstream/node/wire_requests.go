package node

import (
	"fmt"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// WriteOp writes an operation of etcd's KV API. It reports whether p is one.
func WriteOp(w *protocol.Writer, p sim.Payload) bool {
	switch p := p.(type) {
	case *wire.RangeRequest:
		w.Byte(protocol.OpRange).Text(p.Key).Text(p.RangeEnd).Int(p.Limit).Int(p.Revision).
			Bool(p.Serializable).Bool(p.KeysOnly).Bool(p.CountOnly).Byte(byte(p.SortOrder)).Byte(byte(p.SortTarget)).
			Int(p.MinModRevision).Int(p.MaxModRevision).Int(p.MinCreateRevision).Int(p.MaxCreateRevision)
	case *wire.PutRequest:
		w.Byte(protocol.OpPut).Text(p.Key).Text(p.Value).Bool(p.PrevKv).Bool(p.IgnoreValue).Int(p.Lease).Bool(p.IgnoreLease)
	case *wire.DeleteRangeRequest:
		w.Byte(protocol.OpDeleteRange).Text(p.Key).Text(p.RangeEnd).Bool(p.PrevKv)
	case *wire.TxnRequest:
		w.Byte(protocol.OpTxn).Int(int64(len(p.Compare)))
		for i := range p.Compare {
			c := &p.Compare[i]
			w.Text(c.Key).Text(c.RangeEnd).Byte(targets[c.Target]).Byte(results[c.Result]).Int(c.Operand).Text(c.Value)
		}
		writeOps(w, p.Success)
		writeOps(w, p.Failure)
	default:
		return false
	}
	return true
}

// targets and results are the numbers that etcdserverpb has for what a compare looks at, and for how.
var (
	targets = [...]byte{wire.CompareVersion: 0, wire.CompareCreate: 1, wire.CompareMod: 2, wire.CompareValue: 3, wire.CompareLease: 4}
	results = [...]byte{wire.CompareEqual: 0, wire.CompareGreater: 1, wire.CompareLess: 2, wire.CompareNotEqual: 3}
)

func writeOps(w *protocol.Writer, ops []wire.RequestOp) {
	w.Int(int64(len(ops)))
	for i := range ops {
		switch op := &ops[i]; {
		case op.Range != nil:
			WriteOp(w, op.Range)
		case op.Put != nil:
			WriteOp(w, op.Put)
		case op.DeleteRange != nil:
			WriteOp(w, op.DeleteRange)
		case op.Txn != nil:
			WriteOp(w, op.Txn)
		}
	}
}

// ReadOp reads an operation of etcd's KV API.
func ReadOp(r *protocol.Reader) sim.Payload {
	switch kind := r.Byte(); kind {
	case protocol.OpRange:
		return ReadRange(r)
	case protocol.OpPut:
		return &wire.PutRequest{
			Key: r.Text(), Value: r.Text(), PrevKv: r.Bool(), IgnoreValue: r.Bool(), Lease: r.Int(), IgnoreLease: r.Bool(),
		}
	case protocol.OpDeleteRange:
		return &wire.DeleteRangeRequest{Key: r.Text(), RangeEnd: r.Text(), PrevKv: r.Bool()}
	case protocol.OpTxn:
		txn := &wire.TxnRequest{}
		for range r.Int() {
			c := wire.Compare{Key: r.Text(), RangeEnd: r.Text()}
			c.Target, c.Result = wire.CompareTarget(place(targets[:], r.Byte())), wire.CompareResult(place(results[:], r.Byte()))
			c.Operand, c.Value = r.Int(), r.Text()
			txn.Compare = append(txn.Compare, c)
		}
		txn.Success, txn.Failure = readOps(r), readOps(r)
		return txn
	default:
		panic(fmt.Sprintf("node: the guest asks for an operation of kind %d", kind))
	}
}

// ReadRange reads a RangeRequest without its kind.
func ReadRange(r *protocol.Reader) *wire.RangeRequest {
	return &wire.RangeRequest{
		Key: r.Text(), RangeEnd: r.Text(), Limit: r.Int(), Revision: r.Int(),
		Serializable: r.Bool(), KeysOnly: r.Bool(), CountOnly: r.Bool(),
		SortOrder: wire.SortOrder(r.Byte()), SortTarget: wire.SortTarget(r.Byte()),
		MinModRevision: r.Int(), MaxModRevision: r.Int(), MinCreateRevision: r.Int(), MaxCreateRevision: r.Int(),
	}
}

// place is where a number is in a list.
func place(list []byte, number byte) int {
	for i, n := range list {
		if n == number {
			return i
		}
	}
	panic(fmt.Sprintf("node: the guest compares with %d", number))
}

func readOps(r *protocol.Reader) []wire.RequestOp {
	var ops []wire.RequestOp
	for range r.Int() {
		switch p := ReadOp(r).(type) {
		case *wire.RangeRequest:
			ops = append(ops, wire.RequestOp{Range: p})
		case *wire.PutRequest:
			ops = append(ops, wire.RequestOp{Put: p})
		case *wire.DeleteRangeRequest:
			ops = append(ops, wire.RequestOp{DeleteRange: p})
		case *wire.TxnRequest:
			ops = append(ops, wire.RequestOp{Txn: p})
		}
	}
	return ops
}
