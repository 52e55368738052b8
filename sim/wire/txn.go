package wire

import (
	"strings"

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
		if op := ops[i].Request(); op != nil {
			d = op.Digest(d)
		}
	}
	return d
}

// Request is the field that is set, nil if none is: etcd refuses such an operation.
func (op *RequestOp) Request() sim.Payload {
	switch {
	case op.Range != nil:
		return op.Range
	case op.Put != nil:
		return op.Put
	case op.DeleteRange != nil:
		return op.DeleteRange
	case op.Txn != nil:
		return op.Txn
	}
	return nil
}

// Label implements sim.Payload. It names each compare and each operation, with the words of etcdctl txn.
func (r *TxnRequest) Label() string {
	s := "Txn "
	for i := range r.Compare {
		s += [...]string{"if ", "and "}[min(i, 1)] + r.Compare[i].label() + " "
	}
	if len(r.Compare) > 0 {
		s += "then "
	}
	s += labels(r.Success)
	if len(r.Failure) > 0 {
		s += " else " + labels(r.Failure)
	}
	return s
}

var (
	targetNames = [...]string{CompareMod: "mod", CompareVersion: "ver", CompareCreate: "create", CompareValue: "val", CompareLease: "lease"}
	resultNames = [...]string{CompareEqual: "=", CompareNotEqual: "!=", CompareGreater: ">", CompareLess: "<"}
)

func (c *Compare) label() string {
	key, operand := c.Key, itoa(c.Operand)
	if c.RangeEnd != "" {
		key += "..."
	}
	if c.Target == CompareValue {
		operand = c.Value
	}
	return targetNames[c.Target] + "(" + key + ") " + resultNames[c.Result] + " " + operand
}

func labels(ops []RequestOp) string {
	if len(ops) == 0 {
		return "nothing"
	}
	all := make([]string, len(ops))
	for i := range ops {
		if op := ops[i].Request(); op != nil {
			all[i] = op.Label()
		}
		if ops[i].Txn != nil {
			all[i] = "(" + all[i] + ")"
		}
	}
	return strings.Join(all, ", ")
}

// TxnResponse is etcdserverpb.TxnResponse.
type TxnResponse struct {
	Headed
	Revision  int64
	Succeeded bool
	Responses []ResponseOp
}

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

func (r *TxnResponse) Label() string {
	if r.Succeeded {
		return "rev " + itoa(r.Revision) + ": succeeded"
	}
	return "rev " + itoa(r.Revision) + ": compare failed"
}
