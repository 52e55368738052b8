package etcd

import (
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/wire"
)

// The refusals of v3rpc/key.go and of the store.
var (
	errEmptyKey     = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: key is not provided"}
	errDuplicateKey = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: duplicate key given in txn request"}
	errKeyNotFound  = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: key not found"}
	errTooManyOps   = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: too many operations in txn request"}
	errDown         = &wire.Error{Code: wire.Unavailable, Message: "etcdserver: member is down"}
	errUnknown      = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: unknown request"}
	errCompacted    = &wire.Error{Code: wire.ErrCompacted, Message: "etcdserver: mvcc: required revision has been compacted"}
	errFutureRev    = &wire.Error{Code: wire.ErrFutureRev, Message: "etcdserver: mvcc: required revision is a future revision"}
)

// maxTxnOps is --max-txn-ops.
const maxTxnOps = 128

func refusal(c wire.Code) *wire.Error {
	if c == wire.ErrCompacted {
		return errCompacted
	}
	return errFutureRev
}

// checkTxn is checkTxnRequest and checkIntervals; nil if all is well.
func checkTxn(r *wire.TxnRequest) *wire.Error {
	if max(len(r.Compare), len(r.Success), len(r.Failure)) > maxTxnOps {
		return errTooManyOps
	}
	for i := range r.Compare {
		if r.Compare[i].Key == "" {
			return errEmptyKey
		}
	}
	for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
		for i := range ops {
			if err := checkOp(&ops[i]); err != nil {
				return err
			}
		}
	}
	if putsOverlap(r.Success) || putsOverlap(r.Failure) {
		return errDuplicateKey
	}
	return nil
}

func checkOp(op *wire.RequestOp) *wire.Error {
	key := ""
	switch {
	case op.Range != nil:
		key = op.Range.Key
	case op.Put != nil:
		key = op.Put.Key
	case op.DeleteRange != nil:
		key = op.DeleteRange.Key
	default:
		return errKeyNotFound
	}
	if key == "" {
		return errEmptyKey
	}
	return nil
}

// putsOverlap reports whether a key is put twice, or put and deleted.
func putsOverlap(ops []wire.RequestOp) bool {
	for i := range ops {
		p := ops[i].Put
		if p == nil {
			continue
		}
		for j := range ops {
			if q := ops[j].Put; q != nil && i != j && q.Key == p.Key {
				return true
			}
			if d := ops[j].DeleteRange; d != nil {
				if mvcc.InRange(p.Key, d.Key, d.RangeEnd) {
					return true
				}
			}
		}
	}
	return false
}
