package robustness

import (
	"errors"
	"fmt"
	"math"
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
