package request

import "github.com/watchbed/watchbed/sim/wire"

// The refusals of v3rpc/key.go, of members that do not answer, and of the store.
var (
	ErrEmptyKey     = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: key is not provided"}
	ErrDuplicateKey = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: duplicate key given in txn request"}
	ErrKeyNotFound  = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: key not found"}
	ErrTooManyOps   = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: too many operations in txn request"}
	ErrTooLarge     = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: request is too large"}
	ErrDown         = &wire.Error{Code: wire.Unavailable, Message: "etcdserver: member is down"}
	ErrUnknown      = &wire.Error{Code: wire.BadRequest, Message: "etcdserver: unknown request"}
	ErrCompacted    = &wire.Error{Code: wire.ErrCompacted, Message: "etcdserver: mvcc: required revision has been compacted"}
	ErrFutureRev    = &wire.Error{Code: wire.ErrFutureRev, Message: "etcdserver: mvcc: required revision is a future revision"}
)

// maxTxnOps is --max-txn-ops.
const maxTxnOps = 128

// Refusal is the error of a revision that the store does not have.
func Refusal(c wire.Code) *wire.Error {
	if c == wire.ErrCompacted {
		return ErrCompacted
	}
	return ErrFutureRev
}

// CheckTxn is checkTxnRequest and checkIntervals; nil if all is well.
func CheckTxn(r *wire.TxnRequest) *wire.Error {
	if max(len(r.Compare), len(r.Success), len(r.Failure)) > maxTxnOps {
		return ErrTooManyOps
	}
	for i := range r.Compare {
		if r.Compare[i].Key == "" {
			return ErrEmptyKey
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
		return ErrDuplicateKey
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
		return ErrKeyNotFound
	}
	if key == "" {
		return ErrEmptyKey
	}
	return nil
}

// putsOverlap reports whether a key is put twice, or put and deleted. Here the end "\x00"
// is the key below all others, and not everything from the key on: such a deletion overlaps
// nothing, and a key that it deletes may be put in the same transaction.
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
			if d := ops[j].DeleteRange; d != nil && overlaps(d, p.Key) {
				return true
			}
		}
	}
	return false
}

func overlaps(d *wire.DeleteRangeRequest, key string) bool {
	if d.RangeEnd == "" {
		return key == d.Key
	}
	return d.Key <= key && key < d.RangeEnd
}
