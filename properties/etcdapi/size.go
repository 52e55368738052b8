package etcdapi

import (
	"math"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// The encoding of responses to watches and of proposals as protobuf messages, with the field numbers of etcdserverpb
// and mvccpb (rpc.proto, raft_internal.proto, kv.proto). Fields that are zero are left out.

// proposalSize is how many bytes a write has as an InternalRaftRequest, with a random id
// of 64 bits in its header.
func proposalSize(p sim.Payload) int {
	const headerField, putField = 100, 4
	header := number(nil, 1, math.MaxUint64)
	b := append(varint(nil, headerField<<3|lengthDelimited), byte(len(header)))
	// The fields of other requests have tags of one byte as well.
	return len(message(append(b, header...), putField, operation(p)))
}

// operation is a request. What is asked for together with it is a field of its own.
func operation(p sim.Payload) []byte {
	switch r := p.(type) {
	case *wire.PutRequest:
		b := number(text(text(nil, 1, r.Key), 2, r.Value), 3, uint64(r.Lease))
		return flag(flag(flag(b, 4, r.PrevKv), 5, r.IgnoreValue), 6, r.IgnoreLease)
	case *wire.DeleteRangeRequest:
		return flag(text(text(nil, 1, r.Key), 2, r.RangeEnd), 3, r.PrevKv)
	case *wire.CompactionRequest:
		return number(nil, 1, uint64(r.Revision))
	case *wire.LeaseGrantRequest:
		return number(number(nil, 1, uint64(r.TTL)), 2, uint64(r.ID))
	case *wire.LeaseRevokeRequest:
		return number(nil, 1, uint64(r.ID))
	case *wire.RangeRequest:
		return rangeOperation(r)
	case *wire.TxnRequest:
		var b []byte
		for i := range r.Compare {
			b = message(b, 1, compare(&r.Compare[i]))
		}
		return branch(branch(b, 2, r.Success), 3, r.Failure)
	}
	return nil
}

func branch(b []byte, field byte, ops []wire.RequestOp) []byte {
	for _, op := range ops {
		switch {
		case op.Range != nil:
			b = message(b, field, message(nil, 1, operation(op.Range)))
		case op.Put != nil:
			b = message(b, field, message(nil, 2, operation(op.Put)))
		case op.DeleteRange != nil:
			b = message(b, field, message(nil, 3, operation(op.DeleteRange)))
		case op.Txn != nil:
			b = message(b, field, message(nil, 4, operation(op.Txn)))
		}
	}
	return b
}

// compare is a condition: the field of its operand is there if it is zero, too. The end of
// its range has field number 64.
func compare(c *wire.Compare) []byte {
	results := map[wire.CompareResult]uint64{wire.CompareGreater: 1, wire.CompareLess: 2, wire.CompareNotEqual: 3}
	targets := map[wire.CompareTarget]uint64{wire.CompareCreate: 1, wire.CompareMod: 2, wire.CompareValue: 3, wire.CompareLease: 4}
	b := text(number(number(nil, 1, results[c.Result]), 2, targets[c.Target]), 3, c.Key)
	if c.Target == wire.CompareValue {
		b = message(b, 7, []byte(c.Value))
	} else {
		b = varint(append(b, byte(4+targets[c.Target])<<3), uint64(c.Operand))
	}
	if c.RangeEnd != "" {
		b = append(varint(varint(b, 64<<3|lengthDelimited), uint64(len(c.RangeEnd))), c.RangeEnd...)
	}
	return b
}

func rangeOperation(r *wire.RangeRequest) []byte {
	b := number(number(text(text(nil, 1, r.Key), 2, r.RangeEnd), 3, uint64(r.Limit)), 4, uint64(r.Revision))
	b = number(number(b, 5, uint64(r.SortOrder)), 6, uint64(r.SortTarget))
	b = flag(flag(flag(b, 7, r.Serializable), 8, r.KeysOnly), 9, r.CountOnly)
	b = number(number(b, 10, uint64(r.MinModRevision)), 11, uint64(r.MaxModRevision))
	b = number(number(b, 12, uint64(r.MinCreateRevision)), 13, uint64(r.MaxCreateRevision))
	return flag(b, 14, r.HashOnly)
}

// size is how many bytes a response has. Ids of cluster and member are random numbers of
// 64 bits; the raft term is a small one.
func size(r *wire.WatchResponse) int {
	header := number(number(nil, 1, math.MaxUint64), 2, math.MaxUint64)
	header = number(number(header, 3, uint64(r.Revision)), 4, 1)
	b := number(message(nil, 1, header), 2, uint64(r.WatchID))
	b = flag(flag(b, 3, r.Created), 4, r.Canceled)
	b = number(b, 5, uint64(r.CompactRevision))
	b = flag(text(b, 6, r.CancelReason), 7, r.Fragment)
	for i := range r.Events {
		e := &r.Events[i]
		event := number(nil, 1, uint64(e.Type))
		event = keyValue(keyValue(event, 2, e.Kv), 3, e.PrevKv)
		b = message(b, 11, event)
	}
	return len(b)
}

func keyValue(b []byte, field byte, kv *wire.KeyValue) []byte {
	if kv == nil {
		return b
	}
	of := number(text(nil, 1, kv.Key), 2, uint64(kv.CreateRevision))
	of = number(number(of, 3, uint64(kv.ModRevision)), 4, uint64(kv.Version))
	return message(b, field, number(text(of, 5, kv.Value), 6, uint64(kv.Lease)))
}

func number(b []byte, field byte, n uint64) []byte {
	if n == 0 {
		return b
	}
	return varint(append(b, field<<3), n)
}

func flag(b []byte, field byte, set bool) []byte {
	if set {
		return number(b, field, 1)
	}
	return b
}

// lengthDelimited is the wire type of texts and messages.
const lengthDelimited = 2

func text(b []byte, field byte, s string) []byte {
	if s == "" {
		return b
	}
	return append(varint(append(b, field<<3|lengthDelimited), uint64(len(s))), s...)
}

func message(b []byte, field byte, m []byte) []byte {
	return append(varint(append(b, field<<3|lengthDelimited), uint64(len(m))), m...)
}

// varint appends a number in groups of seven bits, the lowest first.
func varint(b []byte, n uint64) []byte {
	for ; n >= 1<<7; n >>= 7 {
		b = append(b, byte(n)|1<<7)
	}
	return append(b, byte(n))
}
