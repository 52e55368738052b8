package wire

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// CompareTarget is the field of a key that a Compare looks at.
type CompareTarget uint8

// The targets; a missing key has the numbers at 0, and no value that compares.
const (
	CompareMod CompareTarget = iota
	CompareVersion
	CompareCreate
	CompareValue
	CompareLease
)

// CompareResult relates the field to the operand.
type CompareResult uint8

// The relations.
const (
	CompareEqual CompareResult = iota
	CompareNotEqual
	CompareGreater
	CompareLess
)

// Compare is etcdserverpb.Compare.
type Compare struct {
	// Key and RangeEnd are as in RangeRequest: all keys of a range have to hold.
	Key, RangeEnd string
	Target        CompareTarget
	Result        CompareResult
	Operand       int64
	// Value is the operand of CompareValue.
	Value string
}

// RequestOp is etcdserverpb.RequestOp: exactly one of its fields is set.
type RequestOp struct {
	Range       *RangeRequest
	Put         *PutRequest
	DeleteRange *DeleteRangeRequest
	Txn         *TxnRequest
}

// ResponseOp is etcdserverpb.ResponseOp: exactly one of its fields is set.
type ResponseOp struct {
	Range       *RangeResponse
	Put         *PutResponse
	DeleteRange *DeleteRangeResponse
	Txn         *TxnResponse
}

// TxnRequest is etcdserverpb.TxnRequest: if all of Compare hold, Success, else
// Failure. The compares of transactions within it look at the state before all of it.
type TxnRequest struct {
	Compare          []Compare
	Success, Failure []RequestOp
}

// Digest implements sim.Payload.
func (r *TxnRequest) Digest(d sim.Digest) sim.Digest {
	d = d.Text("txn").Int(int64(len(r.Compare)))
	for i := range r.Compare {
		c := &r.Compare[i]
		d = d.Text(c.Key).Word(uint64(c.Target)<<8 | uint64(c.Result)).Int(c.Operand)
		if c.RangeEnd != "" || c.Target == CompareValue {
			d = d.Text(c.RangeEnd).Text(c.Value)
		}
	}
	return digestOps(digestOps(d, r.Success), r.Failure)
}

func digestOps(d sim.Digest, ops []RequestOp) sim.Digest {
	d = d.Int(int64(len(ops)))
	for i := range ops {
		switch op := &ops[i]; {
		case op.Range != nil:
			d = op.Range.Digest(d)
		case op.Put != nil:
			d = op.Put.Digest(d)
		case op.DeleteRange != nil:
			d = op.DeleteRange.Digest(d)
		case op.Txn != nil:
			d = op.Txn.Digest(d)
		}
	}
	return d
}

// Label implements sim.Payload.
func (r *TxnRequest) Label() string {
	s := "Txn"
	for _, ops := range [2][]RequestOp{r.Success, r.Failure} {
		for i := range ops {
			if p := ops[i].Put; p != nil {
				return s + " " + p.Label()
			}
			if p := ops[i].DeleteRange; p != nil {
				return s + " " + p.Label()
			}
		}
	}
	return s
}

// TxnResponse is etcdserverpb.TxnResponse.
type TxnResponse struct {
	Revision  int64
	Succeeded bool
	Responses []ResponseOp
}

// Digest implements sim.Payload.
func (r *TxnResponse) Digest(d sim.Digest) sim.Digest {
	d = d.Text("txned").Int(r.Revision).Bool(r.Succeeded).Int(int64(len(r.Responses)))
	for i := range r.Responses {
		switch op := &r.Responses[i]; {
		case op.Range != nil:
			d = op.Range.Digest(d)
		case op.Put != nil:
			d = op.Put.Digest(d)
		case op.DeleteRange != nil:
			d = op.DeleteRange.Digest(d)
		case op.Txn != nil:
			d = op.Txn.Digest(d)
		}
	}
	return d
}

// Label implements sim.Payload.
func (r *TxnResponse) Label() string {
	if r.Succeeded {
		return "rev " + strconv.FormatInt(r.Revision, 10) + ": succeeded"
	}
	return "rev " + strconv.FormatInt(r.Revision, 10) + ": compare failed"
}
