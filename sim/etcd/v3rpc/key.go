package v3rpc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// This file has what etcd refuses by looking at the request alone, before anything of it is carried out
// (v3rpc/key.go), and the errors of requests that ask for a past or a future which the store does not have.

// maxTxnOps is --max-txn-ops.
const maxTxnOps = 128

// Check is checkRangeRequest, checkPutRequest, checkDeleteRequest, or checkTxnRequest with checkIntervals, as far as
// clients here can fail them; nil if all is well.
func Check(p sim.Payload) *wire.Error {
	if err := check(p, maxTxnOps); err != nil {
		return err
	}
	if r, ok := p.(*wire.TxnRequest); ok {
		for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
			if _, err := checkIntervals(ops); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckRangeStream is checkRangeStreamRequest; nil if all is well. A field without an order is accepted, and each chunk
// is sorted for itself: the next one begins behind its last key, and leaves out or repeats keys.
func CheckRangeStream(r *wire.RangeRequest) *wire.Error {
	switch {
	case r.Key == "":
		return ErrEmptyKey
	case r.SortOrder == wire.SortDescend || r.SortOrder == wire.SortAscend && r.SortTarget != wire.SortByKey:
		return ErrStreamOrder
	case r.IsFiltered():
		return ErrStreamFilter
	}
	return nil
}

// check is Check of a request, or of an operation of a transaction. Each level of a transaction takes its longest list
// from the operations that are left for the levels below it.
func check(p sim.Payload, left int) *wire.Error {
	key := ""
	switch r := p.(type) {
	case *wire.RangeRequest:
		key = r.Key
	case *wire.PutRequest:
		switch key = r.Key; {
		case key == "":
		case r.IgnoreValue && r.Value != "":
			return ErrValueProvided
		case r.IgnoreLease && r.Lease != 0:
			return ErrLeaseProvided
		}
	case *wire.DeleteRangeRequest:
		key = r.Key
	case *wire.TxnRequest:
		return checkTxnRequest(r, left)
	case nil:
		return ErrKeyNotFound
	default:
		return nil
	}
	if key == "" {
		return ErrEmptyKey
	}
	return nil
}

func checkTxnRequest(r *wire.TxnRequest, left int) *wire.Error {
	longest := max(len(r.Compare), len(r.Success), len(r.Failure))
	if longest > left {
		return ErrTooManyOps
	}
	for i := range r.Compare {
		if r.Compare[i].Key == "" {
			return ErrEmptyKey
		}
	}
	for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
		for i := range ops {
			if err := check(ops[i].Request(), left-longest); err != nil {
				return err
			}
		}
	}
	return nil
}

// writes are what a list of operations and the transactions within it may write.
type writes struct {
	// puts are keys; those of two branches of one transaction may be the same.
	puts []string
	dels []*wire.DeleteRangeRequest
}

// checkIntervals refuses operations that put a key twice, or put and delete it. Two
// branches of one transaction may write the same: only one of them is taken. As upstream, a
// key that an inner transaction puts may be deleted by a later inner transaction.
func checkIntervals(ops []wire.RequestOp) (writes, *wire.Error) {
	var all writes
	for i := range ops {
		if d := ops[i].DeleteRange; d != nil {
			all.dels = append(all.dels, d)
		}
	}
	for i := range ops {
		if t := ops[i].Txn; t != nil {
			if err := all.addTxn(t); err != nil {
				return all, err
			}
		}
	}
	for i := range ops {
		if p := ops[i].Put; p != nil {
			if all.writes(p.Key) {
				return all, ErrDuplicateKey
			}
			all.puts = append(all.puts, p.Key)
		}
	}
	return all, nil
}

// addTxn adds what both branches of an inner transaction write.
func (w *writes) addTxn(t *wire.TxnRequest) *wire.Error {
	before := *w
	for _, ops := range [2][]wire.RequestOp{t.Success, t.Failure} {
		branch, err := checkIntervals(ops)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(branch.puts, before.writes) {
			return ErrDuplicateKey
		}
		w.puts = append(w.puts, branch.puts...)
		w.dels = append(w.dels, branch.dels...)
	}
	return nil
}

func (w *writes) writes(key string) bool {
	return slices.Contains(w.puts, key) ||
		slices.ContainsFunc(w.dels, func(d *wire.DeleteRangeRequest) bool { return overlaps(d, key) })
}

// overlaps reports whether a deletion is of a key. Here the end "\x00" is the key below all
// others, and not everything from the key on: such a deletion overlaps nothing, and a key
// that it deletes may be put in the same transaction.
func overlaps(d *wire.DeleteRangeRequest, key string) bool {
	if d.RangeEnd == "" {
		return key == d.Key
	}
	return d.Key <= key && key < d.RangeEnd
}

// The refusals of v3rpc/key.go, of members that do not answer, and of the store.
var (
	ErrEmptyKey      = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: key is not provided"}
	ErrDuplicateKey  = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: duplicate key given in txn request"}
	ErrKeyNotFound   = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: key not found"}
	ErrValueProvided = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: value is provided"}
	ErrLeaseProvided = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: lease is provided"}
	ErrLeaseNotFound = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: requested lease not found"}
	ErrLeaseExists   = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: lease already exists"}
	ErrLeaseTooLong  = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: too large lease TTL"}
	ErrTooManyOps    = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: too many operations in txn request"}
	ErrTooLarge      = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: request is too large"}
	ErrDown          = &wire.Error{Code: wire.Unavailable, Message: "etcdserver: member is down"}
	ErrNoSuchMethod  = &wire.Error{Code: wire.Unimplemented, Message: "unknown method RangeStream for service etcdserverpb.KV"}
	ErrStreamOrder   = &wire.Error{Code: wire.Unimplemented, Message: "RangeStream does not support custom sort orders"}
	ErrStreamFilter  = &wire.Error{Code: wire.Unimplemented, Message: "RangeStream does not support revision filters"}
	ErrUnknown       = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: unknown request"}
	ErrCompacted     = &wire.Error{Code: wire.ErrCompacted, Message: "etcdserver: mvcc: required revision has been compacted"}
	ErrFutureRev     = &wire.Error{Code: wire.ErrFutureRev, Message: "etcdserver: mvcc: required revision is a future revision"}
)

// Refusal is the error of a revision that the store does not have.
func Refusal(c wire.Code) *wire.Error {
	if c == wire.ErrCompacted {
		return ErrCompacted
	}
	return ErrFutureRev
}
