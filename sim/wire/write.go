package wire

import (
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// The writes of an API server, as storage.Interface takes them. What upstream is a function of
// the caller, the update and the validation of a deletion, is a value here: so a request can be
// hashed, and judged by properties, which know nothing of the server.
//
// To these functions the value of an object is a list of members with MemberSeparator between
// them: "a+b" has a and b.

// MemberSeparator stands between the members of a value.
const MemberSeparator = "+"

// CreateRequest creates an object (storage.Interface.Create).
type CreateRequest struct{ Key, Value string }

func (r *CreateRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("create").Text(r.Key).Text(r.Value)
}

func (r *CreateRequest) Label() string { return "CREATE " + r.Key + "=" + r.Value }

// GuaranteedUpdateRequest changes an object from what it is (storage.Interface.GuaranteedUpdate).
type GuaranteedUpdateRequest struct {
	Key string
	// Add is the member that the object has afterwards, behind the others. One that has it
	// already is left as it is.
	Add string
	// Expected is the resourceVersion that the object must have by the update function
	// itself, as registry.Store.Update compares that of a PUT. 0 is any.
	Expected int64
	// Precondition is storage.Preconditions.ResourceVersion, 0 for none.
	Precondition int64
	// IgnoreNotFound: an object that is not there counts as one without members.
	IgnoreNotFound bool
}

func (r *GuaranteedUpdateRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("guaranteed update").Text(r.Key).Text(r.Add).Int(r.Expected).Int(r.Precondition).Bool(r.IgnoreNotFound)
}

func (r *GuaranteedUpdateRequest) Label() string {
	s := "UPDATE " + r.Key + " adds " + r.Add
	if r.Expected != 0 {
		s += " to RV=" + itoa(r.Expected)
	}
	if r.IgnoreNotFound {
		s += " or creates"
	}
	return s + precondition(r.Precondition)
}

// DeleteRequest deletes an object (storage.Interface.Delete).
type DeleteRequest struct {
	Key string
	// Holding is the member that the object must have by the validation of the deletion;
	// empty allows all deletions (storage.ValidateAllObjectFunc).
	Holding string
	// Precondition is storage.Preconditions.ResourceVersion, 0 for none.
	Precondition int64
}

func (r *DeleteRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("delete object").Text(r.Key).Text(r.Holding).Int(r.Precondition)
}

func (r *DeleteRequest) Label() string {
	s := "DELETE " + r.Key
	if r.Holding != "" {
		s += " holding " + r.Holding
	}
	return s + precondition(r.Precondition)
}

func precondition(resourceVersion int64) string {
	if resourceVersion == 0 {
		return ""
	}
	return " if RV=" + itoa(resourceVersion)
}

// ObjectResponse is the object that a write has made, or has left as it was. The object of a
// deletion is the deleted one, with the resourceVersion of the deletion.
type ObjectResponse struct{ Item *KeyValue }

func (r *ObjectResponse) Digest(d sim.Digest) sim.Digest { return r.Item.Digest(d.Text("object")) }

func (r *ObjectResponse) Label() string {
	return r.Item.Key + "=" + r.Item.Value + " of RV=" + itoa(r.Item.ModRevision)
}

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
