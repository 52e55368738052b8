package robustness

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/watchbed/watchbed/model"
)

// requestJSON is EtcdRequest: Type names the field that is set.
type requestJSON struct {
	Type        string
	LeaseGrant  *struct{ LeaseID int64 }
	LeaseRevoke *struct{ LeaseID int64 }
	Range       *rangeJSON
	Txn         *txnJSON
	Defragment  *struct{}
	Compact     *struct{ Revision int64 }
}

type rangeJSON struct {
	Start, End string
	Limit      int64
	KeysOnly   bool
	Revision   int64
}

type txnJSON struct {
	Conditions          []conditionJSON
	OperationsOnSuccess []stepJSON
	OperationsOnFailure []stepJSON
}

type conditionJSON struct {
	Key              string
	ExpectedRevision int64
	ExpectedVersion  int64
}

// stepJSON is EtcdOperation: Type names the field that counts.
type stepJSON struct {
	Type  string
	Range rangeJSON
	Put   struct {
		Key     string
		Value   valueJSON
		LeaseID int64
	}
	Delete struct{ Key string }
}

// valueJSON is ValueOrHash.
type valueJSON struct {
	Value string
	Hash  uint32
}

// text is a value as all places of a report can know it.
func (v valueJSON) text() string {
	const hashed = 20
	if v.Hash == 0 && len(v.Value) < hashed {
		return v.Value
	}
	if v.Hash == 0 {
		h := fnv.New32a()
		h.Write([]byte(v.Value))
		v.Hash = h.Sum32()
	}
	return fmt.Sprintf("hash %08x", v.Hash)
}

// reads reports whether a request can change nothing.
func (in *requestJSON) reads() bool {
	changes := func(s stepJSON) bool { return s.Type != "range-operation" }
	return in.Type == "range" || in.Type == "txn" && in.Txn != nil &&
		!slices.ContainsFunc(in.Txn.OperationsOnSuccess, changes) && !slices.ContainsFunc(in.Txn.OperationsOnFailure, changes)
}

// requestOf is nil for a request that neither reads nor changes keys.
func requestOf(in *requestJSON) (*model.Request, error) {
	switch {
	case in.Type == "range" && in.Range != nil:
		return rangeRequest(in.Range), nil
	case in.Type == "txn" && in.Txn != nil:
		return txn(in.Txn)
	case in.Type == "compact" && in.Compact != nil:
		return &model.Request{Kind: model.Compact, Revision: in.Compact.Revision}, nil
	case in.Type == "leaseGrant" && in.LeaseGrant != nil:
		if in.LeaseGrant.LeaseID == 0 {
			// etcd chooses the id. The client was not told it, so that no request names it.
			return nil, nil
		}
		return &model.Request{Kind: model.LeaseGrant, Lease: in.LeaseGrant.LeaseID}, nil
	case in.Type == "leaseRevoke" && in.LeaseRevoke != nil:
		return &model.Request{Kind: model.LeaseRevoke, Lease: in.LeaseRevoke.LeaseID}, nil
	case in.Type == "defragment":
		return nil, nil
	}
	return nil, fmt.Errorf("unknown Type of Input %q, or its field is missing", in.Type)
}

// rangeRequest is a List for a single key, too: etcd answers with the revision of the store.
func rangeRequest(in *rangeJSON) *model.Request {
	r := &model.Request{Kind: model.List, Key: in.Start, End: in.End, Limit: in.Limit, KeysOnly: in.KeysOnly, Revision: in.Revision}
	if in.Revision != 0 {
		r.Freshness = model.Exact
	}
	return r
}

// txn is the request within if there is one alone that changes something: the tests record
// every put and delete as a transaction.
func txn(in *txnJSON) (*model.Request, error) {
	out := &model.Request{Kind: model.Txn}
	for _, c := range in.Conditions {
		// As in the tests, a version of 0 is no condition.
		if c.ExpectedVersion > 0 {
			out.Compare = append(out.Compare, model.Compare{Key: c.Key, Target: model.CompareVersion, Operand: c.ExpectedVersion})
		} else {
			out.Compare = append(out.Compare, model.Compare{Key: c.Key, Operand: c.ExpectedRevision})
		}
	}
	var err error
	if out.Success, err = branch(in.OperationsOnSuccess); err != nil {
		return nil, err
	}
	if out.Failure, err = branch(in.OperationsOnFailure); err != nil {
		return nil, err
	}
	if len(out.Compare) == 0 && len(out.Success) == 1 && len(out.Failure) == 0 && out.Success[0].IsWrite() {
		return &out.Success[0], nil
	}
	return out, nil
}

func branch(in []stepJSON) (out []model.Request, err error) {
	for i := range in {
		switch s := &in[i]; s.Type {
		case "range-operation":
			out = append(out, *rangeRequest(&s.Range))
		case "put-operation":
			out = append(out, model.Request{Kind: model.Put, Key: s.Put.Key, Value: s.Put.Value.text(), Lease: s.Put.LeaseID})
		case "delete-operation":
			out = append(out, model.Request{Kind: model.Delete, Key: s.Delete.Key})
		default:
			return nil, fmt.Errorf("unknown Type of an operation in a transaction %q", s.Type)
		}
	}
	return out, nil
}
