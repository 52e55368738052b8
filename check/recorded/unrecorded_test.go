package recorded

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/random"
	"github.com/watchbed/watchbed/internal/recordings"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
)

// A partial history is violated only if none of the writes that others may have made explains it:
// brute force tries all of them.
func TestPartialHistoriesEqualBruteForce(t *testing.T) {
	d := random.NewDice(17, 18)
	var j Judge
	violated, open, holding := map[property]int{}, map[property]int{}, map[property]int{}
	for n := range *histories / 20 {
		h, mutation := singleKey(d)
		for _, p := range []property{linearizability.Linearizable, linearizability.LinearizableData} {
			out, err := j.Check(h, p)
			require.NoError(t, err)
			holds := othersExplain(h, p)
			switch v := out[0].Verdict; {
			case v == model.Violated && holds, v == model.Holds && !holds && !slices.ContainsFunc(h.Operations, deletes):
				t.Fatalf("history %d (%q), %s: %v, brute force %t: %v\n%s", n, mutation, p, v, holds, out[0].Why, recordings.Show(h))
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
func deletes(op model.Operation) bool {
	return op.Request.Kind == model.Delete && random.IsEffective(&op)
}

// singleKey is a partial history of puts, deletions and reads of one key, some of them answered
// without a revision, in which one thing may be wrong.
func singleKey(d random.Dice) (*model.History, string) {
	for {
		h, mutation := random.Mutated(d, 4+d(3))
		gone := d(2)
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
			if op := &h.Operations[i]; op.Request.Kind == model.List && op.Outcome == model.Done && d(2) == 0 {
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
		if random.IsEffective(op) {
			made[op.Result.Revision] = true
		}
	}
	return made, newest
}

// othersExplain tries, for each revision that no recorded write made and for three behind the
// newest, a put of a value that an answer shows, a deletion of the key, and a write of another key.
func othersExplain(h *model.History, p property) bool {
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
			return random.BruteForce(out, p)
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
