package linearizability

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/history"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/model"
)

const (
	start = `{"format":"watchbed-history","version":1,"initial":{"revision":2,"items":[{"key":"a","value":"old","create":2,"mod":2,"version":1}]}}`
	// putA makes revision 3 from 1 to 2.
	putA = `{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a","value":"new"},"response":{"revision":3}}`
	oldA = `{"key":"a","value":"old","create":2,"mod":2,"version":1}`
	newA = `{"key":"a","value":"new","create":2,"mod":3,"version":2}`
)

// list is a LIST of everything by client r.
func list(call int, rev int, items ...string) string {
	return fmt.Sprintf(`{"client":"r","op":"list","call":%d,"return":%d,"server":"cache-0","request":{"key":"a","end":"z"},"response":{"revision":%d,"items":[%s]}}`,
		call, call+1, rev, strings.Join(items, ","))
}

// TestUnexplained: in these histories some write of unknown outcome may have done anything. The recorded judge finds out more.
func TestUnexplained(t *testing.T) {
	const (
		first   = `which is the first answer with which no order of the operations fits, whether or not the writes with unknown outcome took effect`
		lost    = `{"client":"w","op":"put","call":1,"request":{"key":"b","value":"x"},"unknown":true}`
		refused = `{"client":"v","op":"put","call":2,"return":%d,"request":{"key":"a","value":"new"},"error":"too-many-requests"}`
		listed  = `the list of "a" by r (called at 10, answered at 11)`
	)
	for want, lines := range map[string][]string{
		listed + ` by cache-0 is of revision 3, ` + first: {start, strings.Replace(lost, `"b"`, `"a"`, 1), list(10, 3, strings.Replace(newA, "new", "bad", 1))},
		listed + ` by cache-0 is of revision 3, ` + first + `; it shows key "a" as "new", as the put of "a" by v (called at 2, answered at 3) would have made it, which was refused`: {
			start, lost, fmt.Sprintf(refused, 3), list(10, 3, newA)},
		`the put of "a" by v (called at 2, answered at 30) is refused, ` + first + `; ` + listed + ` shows its effect`: {
			start, lost, fmt.Sprintf(refused, 30), list(10, 3, newA)},
	} {
		var j Judge
		out, err := j.Check(recordings.Parse(lines...), nil, Linearizable)
		require.NoError(t, err)
		require.Equal(t, Unexplained, out[0].Why.Anomaly)
		require.Equal(t, want, out[0].Why.Sentence)
	}
}

// The log supplies revisions that no recorded operation made.
func TestLogFillsGaps(t *testing.T) {
	h := recordings.Parse(start,
		`{"client":"w","op":"put","call":1,"return":2,"request":{"key":"b"},"response":{"revision":4}}`,
		`{"client":"v","op":"put","call":3,"request":{"key":"c"},"unknown":true}`,
		list(10, 5, newA, `{"key":"b","mod":4}`, `{"key":"c","mod":5}`))
	log := model.NewLog(h.Initial)
	for _, key := range []string{"a", "b", "c"} {
		value := map[string]string{"a": "new"}[key]
		log.Append(&model.Request{Kind: model.Put, Key: key, Value: value})
	}
	var j Judge
	out, err := j.Check(h, log, Linearizable, LinearizableData, Sequential)
	require.NoError(t, err)
	require.Equal(t, model.Holds, out[0].Verdict)
	require.Equal(t, model.Holds, out[1].Verdict)
	require.NotEqual(t, model.Violated, out[2].Verdict)
	for _, o := range out {
		require.Equal(t, ByBoth, o.By)
	}
}

// The log says that a was put before it was deleted; the client, that it
// deleted a from under the put.
func TestHistoryContradictsLog(t *testing.T) {
	h := recordings.Parse(start, `{"client":"w","op":"delete","call":1,"return":2,"request":{"key":"a"},"response":{"revision":3,"deleted":1}}`)
	log := model.NewLog(h.Initial)
	log.Append(&model.Request{Kind: model.Put, Key: "a"})
	log.Append(h.Operations[0].Request)
	var j Judge
	out, err := j.Check(h, log, Linearizable)
	require.NoError(t, err)
	require.Equal(t, model.Violated, out[0].Verdict)
	require.Equal(t, ByBoth, out[0].By)
	require.Equal(t, Contradicted, out[0].Why.Anomaly)
	require.Equal(t, `the delete of "a" by w (called at 1, answered at 2) made revision 3, but after that the write of revision 4 in the server's log would have changed nothing`, out[0].Why.Sentence)
}

// Each property is about certain operations. No property is about an operation
// that failed.
func TestClaims(t *testing.T) {
	done := func(r model.Request) model.Operation { return model.Operation{Request: &r, Result: &model.Result{}} }
	unknown := func(r model.Request, commit int64) model.Operation {
		return model.Operation{Request: &r, Outcome: model.Unknown, Commit: commit}
	}
	put := model.Request{Kind: model.Put}
	list := func(f model.Freshness) model.Request { return model.Request{Kind: model.List, Freshness: f} }
	failed := done(put)
	failed.Outcome = model.Failed
	for name, tc := range map[string]struct {
		op   model.Operation
		want []Property
	}{
		"a write":                  {done(put), []Property{Linearizable, LinearizableData, Sequential, ReadYourWrites}},
		"a lost write":             {unknown(put, 0), []Property{Linearizable, LinearizableData, Sequential}},
		"a write that never was":   {unknown(put, -1), nil},
		"a failed write":           {failed, nil},
		"a compaction":             {done(model.Request{Kind: model.Compact}), nil},
		"a consistent list":        {done(list(model.Consistent)), []Property{Linearizable, LinearizableData, Sequential, Monotonic, ReadYourWrites, Pages}},
		"a lost list":              {unknown(list(model.Consistent), 0), nil},
		"a list of any revision":   {done(list(model.Any)), []Property{Sequential, Monotonic, ReadYourWrites, Pages}},
		"a list not older than":    {done(list(model.NotOlderThan)), []Property{Sequential, Monotonic, ReadYourWrites, NotOlderThan, Pages}},
		"a list of one revision":   {done(list(model.Exact)), []Property{Exact, Pages}},
		"a get, which has no page": {done(model.Request{Kind: model.Get}), []Property{Linearizable, LinearizableData, Sequential, Monotonic, ReadYourWrites}},
	} {
		t.Run(name, func(t *testing.T) {
			var claimed []Property
			for _, p := range Properties() {
				if p.Claims(&tc.op) {
					claimed = append(claimed, p)
				}
			}
			require.Equal(t, tc.want, claimed)
		})
	}
}

func TestBudgetIsDeterministic(t *testing.T) {
	h := overlapping(60, 5, 3, 3, false)
	var p Porcupine
	v, steps := p.Check(h, nil, Linearizable, 30)
	require.Equal(t, model.VerdictUnknown, v)
	require.Equal(t, 30, steps)
	v, steps = p.Check(h, nil, Linearizable, 1_000_000)
	require.Equal(t, model.Holds, v)
	again, same := p.Check(h, nil, Linearizable, 1_000_000)
	require.Equal(t, v, again)
	require.Equal(t, steps, same)
}

// TestSequentialNeedsOneStepPerOperation: where revisions are known, porcupine
// finds the order without backtracking.
func TestSequentialNeedsOneStepPerOperation(t *testing.T) {
	h := overlapping(60, 5, 3, 3, false)
	var p Porcupine
	v, steps := p.Check(h, nil, Sequential, DefaultSteps)
	require.Equal(t, model.Holds, v)
	require.Equal(t, len(h.Operations), steps)
}

func ExampleJudge() {
	text := strings.NewReader(`
{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a","value":"1"},"response":{"revision":2}}
{"client":"r","op":"list","call":3,"return":4,"request":{"key":"a","end":"b"},"response":{"revision":1}}`)
	h, err := history.Read(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	var judge Judge
	judgements, err := judge.Check(h, nil, Linearizable, Sequential)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, j := range judgements {
		fmt.Println(j.Property, j.Verdict, j.By)
		if j.Why != nil {
			fmt.Println(j.Why)
		}
	}
	// Output:
	// linearizable violated witness and porcupine
	// the list of "a" by r (called at 3, answered at 4) is of revision 1, but the put of "a" by w (called at 1, answered at 2) had made revision 2 before; key "a" is not in it, but was set to "1" at revision 2 by the put of "a" by w (called at 1, answered at 2)
	// sequential vacuous witness and porcupine
}
