package jepsen

import (
	"errors"
	"fmt"
	"math"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/model"
)

// workload says what the operations of a test are.
type workload interface {
	// add takes an operation into the history.
	add(a *history.Assembly, o *op) error
}

// workloadOf tells the workload of a test, and what is not judged of it.
func workloadOf(ops []op) (workload, []string, error) {
	has := map[string]int64{}
	for i := range ops {
		has[ops[i].f] = ops[i].line
	}
	switch {
	case has["txn"] > 0:
		t := &transactions{}
		if t.find(ops) {
			return t, []string{"each element that is appended is a key of its list: the order of elements within a list is not judged"}, nil
		}
		return t, nil, nil
	case has["add"] > 0:
		return sets{}, nil, nil
	case has["watch"] > 0 || has["final-watch"] > 0:
		return &watches{seen: map[string]int64{}}, nil, nil
	case has["read"] > 0 || has["write"] > 0 || has["cas"] > 0:
		r := &registers{}
		if r.find(ops) {
			return r, []string{"several registers: their versions are not judged, their values are"}, nil
		}
		if r.one {
			return r, []string{"one register: its version 1 is taken as revision 2, and so on: its store was its own, and was empty"}, nil
		}
		return r, nil, nil
	case len(ops) == 0:
		return nil, nil, errors.New("line 1: no process does anything")
	}
	return nil, nil, lineError(ops[0].line, unknownF(ops[0].f))
}

func unknownF(f string) error {
	return fmt.Errorf("unknown :f %q: the workloads register, set, append, wr and watch are known", shorten(f))
}

// done adds an operation as it ended. answered gives the answer of one that is ok.
func done(a *history.Assembly, o *op, r *model.Request, answered func() (*model.Result, error)) error {
	out := model.Operation{Call: o.called, Return: o.ended, Request: r}
	var err error
	switch {
	case o.how == "ok":
		out.Result, err = answered()
	case o.how == "fail":
		out.Outcome, out.Result = model.Failed, &model.Result{Err: model.Unavailable}
	case !writes(r):
		// It says nothing.
		return nil
	default:
		out.Outcome, out.Return = model.Unknown, math.MaxInt64
	}
	if err != nil {
		return err
	}
	a.Add("process "+o.process, out, o.line)
	return nil
}

// writes reports whether a request would change anything if it took effect.
func writes(r *model.Request) bool {
	if r.Kind != model.Txn {
		return r.IsWrite()
	}
	for i := range r.Success {
		if writes(&r.Success[i]) {
			return true
		}
	}
	return false
}
