package robustness

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// operationJSON is what porcupine.Operation looks like with the requests and answers of the
// tests. Metadata repeats Output.
type operationJSON struct {
	ClientID int `json:"ClientId"`
	Input    requestJSON
	Call     int64
	Output   answerJSON
	Return   int64
	Metadata any
}

// answerJSON is MaybeEtcdResponse.
type answerJSON struct {
	Txn         *txnAnswerJSON
	Range       *rangeAnswerJSON
	LeaseGrant  *struct{ LeaseID int64 }
	LeaseRevoke *struct{}
	Defragment  *struct{}
	Compact     *struct{}
	ClientError string
	Revision    int64
	MemberID    string `json:"member-id"`
	// Persisted and PersistedRevision come from the data of the servers, and no client sets them.
	Persisted         bool
	PersistedRevision int64
	Error             string
}

type txnAnswerJSON struct {
	Failure bool
	Results []resultJSON
}

type rangeAnswerJSON struct {
	KVs   []itemJSON
	Count int64
}

type resultJSON struct {
	KVs     []itemJSON
	Count   int64
	Deleted int64
}

type itemJSON struct {
	Key         string
	Value       valueJSON
	ModRevision int64
	Version     int64
}

// operation takes an operation of a client.
func (r *reader) operation(client string, v *history.Values) error {
	var in operationJSON
	if err := decode(v, &in); err != nil {
		return err
	}
	request, err := requestOf(&in.Input)
	if err != nil || request == nil {
		return err
	}
	op := model.Operation{Call: in.Call, Return: in.Return, Request: request}
	if in.Output.MemberID != "" {
		op.Server = "member " + in.Output.MemberID
	}
	if err := end(&op, &in); err != nil {
		return err
	}
	r.assembly.Add(client, op, r.at(v))
	return nil
}

// end is how an operation ended.
func end(op *model.Operation, in *operationJSON) error {
	out := &in.Output
	switch {
	case out.Error != "" && in.Input.reads():
		op.Outcome, op.Result = model.Failed, &model.Result{Err: model.Unavailable}
		return nil
	case out.Error != "" || out.Persisted:
		op.Outcome, op.Return, op.Commit = model.Unknown, math.MaxInt64, out.PersistedRevision
		return nil
	case out.ClientError != "":
		code, err := clientError(out.ClientError)
		op.Outcome, op.Result = model.Failed, &model.Result{Err: code}
		return err
	}
	// Answers to a compaction are not of a revision of the store, and have -1.
	result := &model.Result{Revision: max(0, out.Revision)}
	op.Result = result
	r := op.Request
	switch {
	case r.Kind == model.List && out.Range != nil:
		readAnswer(r, result, out.Range.KVs, out.Range.Count)
		return nil
	case r.Kind == model.LeaseGrant && out.LeaseGrant != nil, r.Kind == model.LeaseRevoke && out.LeaseRevoke != nil,
		r.Kind == model.Compact && out.Compact != nil:
		return nil
	case in.Input.Type == "txn" && out.Txn != nil:
		return txnAnswer(r, result, out.Txn)
	}
	return fmt.Errorf("there is no answer to the %s that is asked for, and no error", in.Input.Type)
}

// clientError is a definite refusal as the client of the tests says it.
func clientError(text string) (model.Code, error) {
	switch {
	case strings.Contains(text, "has been compacted"):
		return model.Compacted, nil
	case strings.Contains(text, "future rev"):
		return model.Future, nil
	case strings.Contains(text, "requested lease not found"):
		return model.Invalid, nil
	}
	return 0, fmt.Errorf("unknown ClientError %q", text)
}

func txnAnswer(r *model.Request, result *model.Result, out *txnAnswerJSON) error {
	if r.Kind != model.Txn {
		if len(out.Results) != 1 || out.Failure {
			return fmt.Errorf("a %s has one result, and not %d, and cannot fail", r.Kind, len(out.Results))
		}
		result.Deleted = out.Results[0].Deleted
		return nil
	}
	result.Succeeded = !out.Failure
	branch := r.Branch(result.Succeeded)
	if len(branch) != len(out.Results) {
		return errors.New("the transaction has not one result for each request of the branch that it took")
	}
	for i := range branch {
		one := model.Result{Deleted: out.Results[i].Deleted}
		if branch[i].Kind == model.List {
			readAnswer(&branch[i], &one, out.Results[i].KVs, out.Results[i].Count)
		}
		result.Results = append(result.Results, one)
	}
	return nil
}

// readAnswer takes what a range shows. A report does not say that there is more, but
// etcd counts all.
func readAnswer(r *model.Request, result *model.Result, items []itemJSON, count int64) {
	for _, it := range items {
		result.Items = append(result.Items, &model.Item{
			Key: it.Key, Value: it.Value.text(), ModRevision: it.ModRevision, Version: it.Version,
		})
	}
	result.Count = count
	result.More = r.Limit > 0 && count > int64(len(items))
}

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
