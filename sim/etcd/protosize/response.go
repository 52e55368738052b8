package protosize

import (
	"math/bits"

	"github.com/watchbed/watchbed/sim/wire"
)

// randomID is the size of a random number of 64 bits.
const randomID = 10

// Response is the size of a response to a watch. Ids of cluster and member are random
// 64-bit numbers.
func Response(r *wire.WatchResponse) int {
	header := 2*(1+randomID) + number(r.Revision) + number(1)
	size := message(header) + number(r.WatchID) + number(r.CompactRevision)
	size += flag(r.Created) + flag(r.Canceled) + flag(r.Fragment) + text(r.CancelReason)
	for i := range r.Events {
		size += Event(&r.Events[i])
	}
	return size
}

// Event is the size of an event in a response to a watch.
func Event(e *wire.Event) int {
	return message(item(e.Kv) + item(e.PrevKv) + flag(e.Type != wire.Put))
}

func item(kv *wire.KeyValue) int {
	if kv == nil {
		return 0
	}
	return message(text(kv.Key) + text(kv.Value) + number(kv.CreateRevision) + number(kv.ModRevision) + number(kv.Version) + number(kv.Lease))
}

// The sizes of fields whose tags take one byte; those that are zero are left out, but
// for messages.

func text(s string) int {
	if s == "" {
		return 0
	}
	return message(len(s))
}

// message is a field with so many bytes.
func message(n int) int { return 1 + varint(uint64(n)) + n }

func number(n int64) int {
	if n == 0 {
		return 0
	}
	return 1 + varint(uint64(n))
}

func flag(set bool) int {
	if set {
		return 2
	}
	return 0
}

func varint(n uint64) int { return max(1, (bits.Len64(n)+6)/7) }
