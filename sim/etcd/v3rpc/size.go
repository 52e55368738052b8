package v3rpc

import (
	"math/bits"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// This file says how many bytes etcd's messages have as protobuf (rpc.proto, kv.proto, raft_internal.proto), with the
// fields that they have here: a response to a watch, which is split if it is too large, and a write as it is proposed
// to raft, which is refused if it is too large.

// randomID is the size of a random number of 64 bits.
const randomID = 10

// responseSize is the size of a response to a watch. Ids of cluster and member are random
// 64-bit numbers.
func responseSize(r *wire.WatchResponse) int {
	header := 2*(1+randomID) + varintField(r.Revision) + varintField(1)
	size := message(header) + varintField(r.WatchID) + varintField(r.CompactRevision)
	size += flag(r.Created) + flag(r.Canceled) + flag(r.Fragment) + text(r.CancelReason)
	for i := range r.Events {
		size += eventSize(&r.Events[i])
	}
	return size
}

// The first is etcd's metric, of its watch streams alone; the second is a part of it.
var (
	sentBytes = metric.NewCounter(`etcd_network_client_grpc_sent_bytes_total{service="Watch"}`, metric.Bytes,
		"responses to watches that etcd sent, as protobuf")
	sentPrevKVBytes = metric.NewCounter(`etcd_network_client_grpc_sent_bytes_total{service="Watch",field="prev_kv"}`, metric.Bytes,
		"previous values in responses to watches that etcd sent, as protobuf")
)

// countSent counts a response to a watch that is sent.
func countSent(env *sim.Env, r *wire.WatchResponse) {
	if env.Mode() != sim.Timed {
		return
	}
	previous := 0
	for i := range r.Events {
		previous += item(r.Events[i].PrevKv)
	}
	env.Add(sentBytes, int64(responseSize(r)))
	env.Add(sentPrevKVBytes, int64(previous))
}

// eventSize is the size of an event in a response to a watch.
func eventSize(e *wire.Event) int {
	return message(item(e.Kv) + item(e.PrevKv) + flag(e.Type != wire.Put))
}

func item(kv *wire.KeyValue) int {
	if kv == nil {
		return 0
	}
	return message(text(kv.Key) + text(kv.Value) + varintField(kv.CreateRevision) + varintField(kv.ModRevision) + varintField(kv.Version) + varintField(kv.Lease))
}

// The sizes of fields whose tags take one byte. Zero fields are left out, but
// for messages.

func text(s string) int {
	if s == "" {
		return 0
	}
	return message(len(s))
}

// message is a field with so many bytes.
func message(n int) int { return 1 + varint(uint64(n)) + n }

func varintField(n int64) int {
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

// RangeSize is the size of the answer to a Range. Ids of cluster and member are random 64-bit
// numbers, and the raft term is a small one.
func RangeSize(r *wire.RangeResponse) int {
	header := 2*(1+randomID) + varintField(r.Revision) + varintField(1)
	size := message(header) + flag(r.More) + varintField(r.Count)
	for _, kv := range r.Kvs {
		size += item(kv)
	}
	return size
}

// ProposalSize is the size of an InternalRaftRequest: a header with a random id, whose tag
// takes two bytes, and the request.
func ProposalSize(p sim.Payload) int {
	const header = 2 + 1 + 1 + randomID
	return header + message(proposed(p))
}

// proposed is the size of a request, or of an operation of a transaction.
func proposed(p sim.Payload) int {
	switch r := p.(type) {
	case *wire.RangeRequest:
		size := text(r.Key) + text(r.RangeEnd) + varintField(r.Limit) + varintField(r.Revision)
		size += flag(r.SortOrder != wire.SortNone) + flag(r.SortTarget != wire.SortByKey)
		size += flag(r.Serializable) + flag(r.KeysOnly) + flag(r.CountOnly) + flag(r.HashOnly)
		return size + varintField(r.MinModRevision) + varintField(r.MaxModRevision) + varintField(r.MinCreateRevision) + varintField(r.MaxCreateRevision)
	case *wire.PutRequest:
		return text(r.Key) + text(r.Value) + varintField(r.Lease) + flag(r.PrevKv) + flag(r.IgnoreValue) + flag(r.IgnoreLease)
	case *wire.DeleteRangeRequest:
		return text(r.Key) + text(r.RangeEnd) + flag(r.PrevKv)
	case *wire.TxnRequest:
		size := 0
		for i := range r.Compare {
			size += message(compare(&r.Compare[i]))
		}
		for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
			for i := range ops {
				size += message(message(proposed(ops[i].Request())))
			}
		}
		return size
	case *wire.CompactionRequest:
		return varintField(r.Revision)
	case *wire.LeaseGrantRequest:
		return varintField(r.TTL) + varintField(r.ID)
	case *wire.LeaseRevokeRequest:
		return varintField(r.ID)
	}
	return 0
}

// compare: the operand is of a oneof, so that it is there if it is zero, too. The tag of
// the end of a range takes two bytes.
func compare(c *wire.Compare) int {
	size := text(c.Key) + flag(c.Result != wire.CompareEqual) + flag(c.Target != wire.CompareVersion)
	if c.RangeEnd != "" {
		size += 1 + text(c.RangeEnd)
	}
	if c.Target == wire.CompareValue {
		return size + message(len(c.Value))
	}
	return size + 1 + varint(uint64(c.Operand))
}
