package protosize

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Proposal is the size of an InternalRaftRequest: a header with a random id, whose tag
// takes two bytes, and the request.
func Proposal(p sim.Payload) int {
	const header = 2 + 1 + 1 + randomID
	return header + message(request(p))
}

func request(p sim.Payload) int {
	switch r := p.(type) {
	case *wire.PutRequest:
		return put(r)
	case *wire.DeleteRangeRequest:
		return deleteRange(r)
	case *wire.TxnRequest:
		return txn(r)
	case *wire.CompactionRequest:
		return number(r.Revision)
	case *wire.LeaseGrantRequest:
		return number(r.TTL) + number(r.ID)
	case *wire.LeaseRevokeRequest:
		return number(r.ID)
	}
	return 0
}

func put(r *wire.PutRequest) int {
	return text(r.Key) + text(r.Value) + number(r.Lease) + flag(r.PrevKv) + flag(r.IgnoreValue) + flag(r.IgnoreLease)
}

func deleteRange(r *wire.DeleteRangeRequest) int {
	return text(r.Key) + text(r.RangeEnd) + flag(r.PrevKv)
}

func txn(r *wire.TxnRequest) int {
	size := 0
	for i := range r.Compare {
		size += message(compare(&r.Compare[i]))
	}
	for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
		for i := range ops {
			size += message(operation(&ops[i]))
		}
	}
	return size
}

func operation(op *wire.RequestOp) int {
	switch {
	case op.Range != nil:
		return message(rangeOf(op.Range))
	case op.Put != nil:
		return message(put(op.Put))
	case op.DeleteRange != nil:
		return message(deleteRange(op.DeleteRange))
	case op.Txn != nil:
		return message(txn(op.Txn))
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

func rangeOf(r *wire.RangeRequest) int {
	size := text(r.Key) + text(r.RangeEnd) + number(r.Limit) + number(r.Revision)
	size += flag(r.SortOrder != wire.SortNone) + flag(r.SortTarget != wire.SortByKey)
	size += flag(r.Serializable) + flag(r.KeysOnly) + flag(r.CountOnly)
	return size + number(r.MinModRevision) + number(r.MaxModRevision) + number(r.MinCreateRevision) + number(r.MaxCreateRevision)
}
