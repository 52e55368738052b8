package linearizability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
)

const (
	fresh  = `{"format":"watchbed-history","version":1}`
	inPart = `{"format":"watchbed-history","version":1,"partial":true}`
)

// A list lacks a key of which a later answer shows the same put: no write that is not recorded
// takes an item away and brings it back with the same mod revision.
func TestLaterAnswerShowsWhatAListLacks(t *testing.T) {
	const (
		put  = `{"client":"w","op":"put","call":1,"return":2,"request":{"key":"a","value":"1"},"response":{"revision":10}}`
		list = `{"client":"r","op":"list","call":3,"return":4,"request":{"key":"a","end":"b"},"response":{%s}}`
		get  = `{"client":"q","op":"get","call":%d,"return":8,"request":{"key":"a"},"response":{%s"items":[{"key":"a","value":"1","mod":%d}]}}`
	)
	for name, tc := range map[string]struct {
		list     string
		called   int
		revision string
		mod      int64
		// want are the verdicts on linearizable and linearizable-data.
		want [2]model.Verdict
	}{
		"the get is answered with a revision":    {`"revision":12`, 5, `"revision":13,`, 10, [2]model.Verdict{model.Violated, model.Violated}},
		"the get is answered without a revision": {`"revision":12`, 5, "", 10, [2]model.Verdict{model.Violated, model.Violated}},
		"no read is answered with a revision":    {"", 5, "", 10, [2]model.Verdict{model.Violated, model.Violated}},
		"the list and the get are concurrent":    {`"revision":12`, 3, "", 10, [2]model.Verdict{model.Holds, model.Holds}},
		"the get shows a later put":              {`"revision":12`, 5, "", 13, [2]model.Verdict{model.Holds, model.Holds}},
	} {
		t.Run(name, func(t *testing.T) {
			h := parse(t, inPart, put, fmt.Sprintf(list, tc.list), fmt.Sprintf(get, tc.called, tc.revision, tc.mod))
			var j Judge
			out, err := j.CheckRecorded(h, Linearizable, LinearizableData)
			require.NoError(t, err)
			for i, want := range tc.want {
				require.Equal(t, want, out[i].Verdict, "%s: %v", out[i].Property, out[i].Why)
				if want != model.Violated {
					continue
				}
				require.Equal(t, Missing, out[i].Why.Anomaly)
				require.Contains(t, out[i].Why.Sentence, `key "a" is not in it, but was set to "1" at revision 10 by the put of "a" by w (called at 1, answered at 2), and the get of "a" by q (called at 5, answered at 8) still shows it`)
			}
		})
	}
}

// A write that was not answered and took effect keeps its call: what returned before that was not after
// it. In a partial history it keeps it even if its comparisons may have found anything.
func TestUnansweredWriteKeepsItsCall(t *testing.T) {
	const (
		put = `{"client":"c1","op":"put","call":1,"return":2,"request":{"key":"a","value":"1"},"response":{"revision":%d}}`
		get = `{"client":"c1","op":"get","call":3,"return":4,"request":{"key":"a"},"response":{"items":[]}}`
		// idle says that there was nothing to delete.
		idle   = `{"client":"c1","op":"delete","call":3,"return":4,"request":{"key":"a"},"response":{}}`
		delete = `{"client":"v","op":"delete","call":%d,"request":{"key":"a"},"unknown":true,"commit":%d}`
		txn    = `{"client":"v","op":"txn","call":%d,"request":{"compare":[{"key":"b","target":"version","result":"=","value":1}],` +
			`"success":[{"op":"delete","key":"a"}],"failure":[{"op":"put","key":"a","value":"2"}]},"unknown":true,"commit":%d}`
		early = `the get of "a" by c1 (called at 3, answered at 4) fits no revision that it may show; key "a" is not in it, but was set to "1" at revision 2 by the put of "a" by c1 (called at 1, answered at 2); ` +
			`the delete of "a" by v (called at 8, never answered), which made revision 3, had not been called yet`
	)
	for name, tc := range map[string]struct {
		header, write, read string
		// revision is that of the put.
		revision int
		sentence string
	}{
		"a get":                      {fresh, delete, get, 2, early},
		"a get, partial":             {inPart, delete, get, 2, early},
		"a write that found nothing": {fresh, delete, idle, 2, ""},
		"and a transaction, partial": {inPart, txn, idle, 2, ""},
		"and a get behind it":        {inPart, txn, idle + "\n" + strings.Replace(get, `"call":3,"return":4`, `"call":10,"return":12`, 1), 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range []Property{Linearizable, LinearizableData} {
				for _, call := range [...]int{0, 8} {
					var j Judge
					out, err := j.CheckRecorded(parse(t, tc.header, fmt.Sprintf(tc.write, call, tc.revision+1), fmt.Sprintf(put, tc.revision), tc.read), p)
					require.NoError(t, err)
					require.Equal(t, call == 0, out[0].Verdict == model.Holds || out[0].Verdict == model.Vacuous, "%s, called at %d: %v", p, call, out[0].Verdict)
					if call == 8 && tc.sentence != "" {
						require.Equal(t, tc.sentence, out[0].Why.Sentence)
					}
				}
			}
		})
	}
}

// A partial history is violated only if none of the writes that others may have made explains it:
// brute force tries all of them.
func TestPartialHistoriesEqualBruteForce(t *testing.T) {
	d := fastDice{rand.New(rand.NewPCG(17, 18))}
	var j Judge
	violated, open, holding := map[Property]int{}, map[Property]int{}, map[Property]int{}
	for n := range *histories / 20 {
		h, mutation := singleKey(d)
		for _, p := range []Property{Linearizable, LinearizableData} {
			out, err := j.CheckRecorded(h, p)
			require.NoError(t, err)
			holds := othersExplain(h, p)
			switch v := out[0].Verdict; {
			case v == model.Violated && holds, v == model.Holds && !holds && !slices.ContainsFunc(h.Operations, deletes):
				t.Fatalf("history %d (%q), %s: %v, brute force %t: %v\n%s", n, mutation, p, v, holds, out[0].Why, show(h))
			case v == model.Violated:
				violated[p]++
			case v == model.VerdictUnknown && !holds:
				open[p]++
			default:
				holding[p]++
			}
		}
	}
	for p, n := range violated {
		t.Logf("%s: %d violated, %d violated but unknown, %d hold or may", p, n, open[p], holding[p])
		require.Greater(t, n, holding[p]/20)
	}
	require.Len(t, violated, 2)
}

// deletes reports whether an operation deleted something: how much is not judged in a partial history.
func deletes(op model.Operation) bool { return op.Request.Kind == model.Delete && isEffective(&op) }

// singleKey is a partial history of puts, deletions and reads of one key, some of them answered
// without a revision, in which one thing may be wrong.
func singleKey(d dice) (*model.History, string) {
	for {
		h, mutation := mutated(d, 4+d.roll(3))
		gone := d.roll(2)
		h = without(h, func(client int) bool { return client == gone })
		simple := len(h.Operations) > 1 && !slices.ContainsFunc(h.Operations, func(op model.Operation) bool {
			r := op.Request
			return op.Outcome == model.Unknown || r.Key != "a" || r.IgnoreValue || r.IgnoreLease || r.CountOnly || r.Limit != 0 ||
				r.Kind != model.Put && r.Kind != model.Get && r.Kind != model.List && (r.Kind != model.Delete || r.End != "") ||
				op.Outcome == model.Done && slices.ContainsFunc(op.Result.Items, func(it *model.Item) bool { return it.Key != "a" })
		})
		if !simple {
			continue
		}
		for i := range h.Operations {
			if op := &h.Operations[i]; op.Request.Kind == model.List && op.Outcome == model.Done && d.roll(2) == 0 {
				forget["headers"](op)
			}
			forgetNumbers(&h.Operations[i])
		}
		if made, newest := revisionsOf(h); newest-h.Initial.Revision-int64(len(made)) <= 4 {
			return h, mutation
		}
	}
}

// forgetNumbers leaves of an answer what is judged in a partial history.
func forgetNumbers(op *model.Operation) {
	if op.Outcome != model.Done {
		return
	}
	request, res := *op.Request, *op.Result
	request.PrevKV, res.Items, res.Prev = false, nil, nil
	for _, it := range op.Result.Items {
		res.Items = append(res.Items, &model.Item{Key: it.Key, Value: it.Value, ModRevision: it.ModRevision})
	}
	res.More, res.Count = false, int64(len(res.Items))
	op.Request, op.Result = &request, &res
}

// revisionsOf are the revisions that writes made, and the newest that anything shows.
func revisionsOf(h *model.History) (made map[int64]bool, newest int64) {
	made, newest = map[int64]bool{}, h.Initial.Revision
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Outcome != model.Done {
			continue
		}
		newest = max(newest, op.Result.Revision)
		for _, it := range op.Result.Items {
			newest = max(newest, it.ModRevision)
		}
		if isEffective(op) {
			made[op.Result.Revision] = true
		}
	}
	return made, newest
}

// othersExplain tries, for each revision that no recorded write made and for three behind the
// newest, a put of a value that an answer shows, a deletion of the key, and a write of another key.
func othersExplain(h *model.History, p Property) bool {
	made, newest := revisionsOf(h)
	// A list of keys shows no value.
	values := map[int64]string{}
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Outcome == model.Done && p.Claims(op) {
			for _, it := range op.Result.Items {
				values[it.ModRevision] = max(values[it.ModRevision], it.Value)
			}
		}
	}
	var try func(out *model.History, rev int64) bool
	try = func(out *model.History, rev int64) bool {
		if rev > newest+2 {
			return bruteForce(out, p)
		}
		if made[rev] {
			return try(out, rev+1)
		}
		writes := [...]model.Request{
			{Kind: model.Txn, Success: []model.Request{{Kind: model.Put, Key: "zz", Value: "other"}, {Kind: model.Delete, Key: "a"}}},
			{Kind: model.Txn, Success: []model.Request{{Kind: model.Put, Key: "zz", Value: "other"}}},
			{Kind: model.Put, Key: "a", Value: values[rev]},
		}
		for i := range writes {
			if _, shown := values[rev]; i == 2 && !shown && rev > newest {
				continue
			}
			next := *out
			next.Operations = append(slices.Clone(out.Operations), model.Operation{
				Client: len(h.Clients), Call: math.MinInt64, Return: math.MaxInt64, Outcome: model.Unknown, Commit: rev, Request: &writes[i],
			})
			if try(&next, rev+1) {
				return true
			}
		}
		return false
	}
	return try(h, h.Initial.Revision+1)
}
