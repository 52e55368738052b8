package request

import "github.com/watchbed/watchbed/sim/wire"

// maxTxnOps is --max-txn-ops.
const maxTxnOps = 128

// CheckRange is checkRangeRequest, as far as clients here can fail it; nil if all is well.
func CheckRange(r *wire.RangeRequest) *wire.Error {
	if r.Key == "" {
		return ErrEmptyKey
	}
	return nil
}

// CheckRangeStream is checkRangeStreamRequest; nil if all is well. A field without an order is accepted, and each chunk is
// sorted for itself: the next one begins behind its last key, and leaves out or repeats keys.
func CheckRangeStream(r *wire.RangeRequest) *wire.Error {
	switch refused := CheckRange(r); {
	case refused != nil:
		return refused
	case r.SortOrder == wire.SortDescend || r.SortOrder == wire.SortAscend && r.SortTarget != wire.SortByKey:
		return ErrStreamOrder
	case r.IsFiltered():
		return ErrStreamFilter
	}
	return nil
}

// CheckPut is checkPutRequest; nil if all is well.
func CheckPut(r *wire.PutRequest) *wire.Error {
	switch {
	case r.Key == "":
		return ErrEmptyKey
	case r.IgnoreValue && r.Value != "":
		return ErrValueProvided
	case r.IgnoreLease && r.Lease != 0:
		return ErrLeaseProvided
	}
	return nil
}

// CheckTxn is checkTxnRequest and checkIntervals; nil if all is well.
func CheckTxn(r *wire.TxnRequest) *wire.Error {
	if err := checkTxnRequest(r, maxTxnOps); err != nil {
		return err
	}
	for _, ops := range [2][]wire.RequestOp{r.Success, r.Failure} {
		if _, err := checkIntervals(ops); err != nil {
			return err
		}
	}
	return nil
}

// checkTxnRequest: each level of a transaction takes its longest list from the operations
// that the levels below it may have.
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
			if err := checkOp(&ops[i], left-longest); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkOp(op *wire.RequestOp, left int) *wire.Error {
	key := ""
	switch {
	case op.Range != nil:
		key = op.Range.Key
	case op.Put != nil:
		return CheckPut(op.Put)
	case op.DeleteRange != nil:
		key = op.DeleteRange.Key
	case op.Txn != nil:
		return checkTxnRequest(op.Txn, left)
	default:
		return ErrKeyNotFound
	}
	if key == "" {
		return ErrEmptyKey
	}
	return nil
}
