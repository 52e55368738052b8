package etcdapi

import (
	"math"

	"github.com/watchbed/watchbed/sim/wire"
)

// The encoding of responses to watches as protobuf messages, with the field numbers of
// etcdserverpb and mvccpb (rpc.proto, kv.proto). Fields that are zero are left out.

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
	return message(b, field, text(of, 5, kv.Value))
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
