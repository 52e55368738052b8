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

// without leaves the operations of some clients out of a history.
func without(h *model.History, gone func(client int) bool) *model.History {
	out := *h
	out.Partial = true
	out.Operations = slices.DeleteFunc(slices.Clone(h.Operations), func(op model.Operation) bool { return gone(op.Client) })
	return &out
}

// A right history is not violated because some of its clients are not recorded, and what is
// violated without them is violated with them.
func TestPartialHistories(t *testing.T) {
	d := random.NewDice(13, 14)
	var j Judge
	violated, unknown, holding, same := 0, 0, 0, 0
	for n := range *histories / 4 {
		h, mutation := random.Mutated(d, 1+d(20))
		gone := d(4)
		part := without(h, func(client int) bool { return client == gone })
		whole, err := j.Judge.Check(h, nil, orderedProperties...)
		require.NoError(t, err)
		wrong := map[property]bool{}
		for _, w := range whole {
			wrong[w.Property] = w.Verdict == model.Violated
		}
		out, err := j.Check(part, orderedProperties...)
		require.NoError(t, err)
		if n%8 == 0 {
			same += sameInEitherOrder(t, part)
		}
		for _, o := range out {
			switch o.Verdict {
			case model.Violated:
				violated++
				if !wrong[o.Property] {
					t.Fatalf("history %d (%q) without client %d: %s: %s\n%s", n, mutation, gone, o.Property, o.Why, recordings.Show(h))
				}
			case model.VerdictUnknown:
				unknown++
				require.NotEmpty(t, j.Reason(&o))
			default:
				holding++
			}
		}
	}
	t.Logf("%d violated, %d unknown, %d not violated; %d hold in either order", violated, unknown, holding, same)
	require.Greater(t, violated, 100)
	require.Greater(t, same, 100)
}

// sameInEitherOrder: where a completion loses nothing of a history, one that holds and what all of
// them have in common cannot contradict each other, so that it does not matter which is looked at
// first. It is asked about the history without what a completion loses.
func sameInEitherOrder(t *testing.T, h *model.History) (holding int) {
	t.Helper()
	plain := *h
	plain.Operations = nil
	for _, op := range h.Operations {
		if op.Request.Kind == model.Txn || op.Request.Kind == model.List && op.Outcome == model.Done && op.Result.More {
			continue
		}
		if op.Outcome == model.Done {
			answer := *op.Result
			answer.Items = nil
			for _, it := range op.Result.Items {
				answer.Items = append(answer.Items, &model.Item{Key: it.Key, Value: it.Value, ModRevision: it.ModRevision})
			}
			op.Result = &answer
		}
		plain.Operations = append(plain.Operations, op)
	}
	if beyond(&plain) != "" {
		return 0
	}
	var j Judge
	for _, p := range orderedProperties {
		if losesAny(p, &plain) {
			continue
		}
		commonFirst, err := j.checkOpen(&plain, p, false)
		require.NoError(t, err)
		completionFirst, err := j.checkOpen(&plain, p, true)
		require.NoError(t, err)
		require.Equal(t, commonFirst.Verdict, completionFirst.Verdict, "%s\n%s", p, recordings.Show(&plain))
		if commonFirst.Verdict == model.Holds {
			holding++
		}
	}
	return holding
}

// Real recordings hold without any one of their clients; an answer that contradicts what is
// left is still found.
func TestRealEtcdInPart(t *testing.T) {
	found, of := map[string]int{}, map[string]int{}
	open, total := 0, 0
	for name, h := range recordings.Etcd() {
		for gone := range h.Clients {
			part := without(h, func(client int) bool { return client == gone })
			var j Judge
			out, err := j.Check(part, orderedProperties...)
			require.NoError(t, err)
			for _, o := range out {
				total++
				if o.Verdict == model.VerdictUnknown {
					// A key that was not there when a Get asked, and nothing tells when it was deleted.
					require.Contains(t, j.Reason(&o), "no recorded write explains the ")
					open++
					continue
				}
				require.Equal(t, model.Holds, o.Verdict, "%s without %s: %s: %v", name, h.Clients[gone], o.Property, o.Why)
			}
			for _, way := range recordings.Tamperings() {
				for i := range part.Operations {
					wrong := way.Apply(part, i)
					if wrong == nil || !slices.Contains(way.Breaks, string(linearizability.Linearizable)) {
						continue
					}
					out, err := j.Check(wrong, linearizability.Linearizable)
					require.NoError(t, err)
					of[way.Name]++
					if out[0].Verdict == model.Violated {
						found[way.Name]++
					}
					break
				}
			}
		}
	}
	t.Logf("%d of %d verdicts are open", open, total)
	require.Less(t, open, total/10)
	for name, n := range of {
		t.Logf("%s: %d of %d found", name, found[name], n)
	}
	for _, name := range []string{"an item of a list is reverted to an older one", "a get shows what was overwritten before"} {
		require.Greater(t, found[name], of[name]/2, name)
	}
}

// TestReadOfThePastInATransaction: a transaction that only reads is of its revision, and a read in it that names a
// revision is of that one. Either of the writes that were not answered may have made revision 4.
func TestReadOfThePastInATransaction(t *testing.T) {
	first := &model.Item{Key: "a", Value: "1", CreateRevision: 2, ModRevision: 2, Version: 1}
	answered := func(client int, at int64, r model.Request, res model.Result) model.Operation {
		return model.Operation{Client: client, Call: at, Return: at + 1, Outcome: model.Done, Request: &r, Result: &res}
	}
	unanswered := func(client int, value string) model.Operation {
		return model.Operation{Client: client, Call: 1, Return: math.MaxInt64, Outcome: model.Unknown, Request: &model.Request{Kind: model.Put, Key: "b", Value: value}}
	}
	for name, c := range map[string]struct {
		read model.Request
		want model.Verdict
	}{
		"of the past": {model.Request{Kind: model.Get, Key: "a", Freshness: model.Exact, Revision: 2}, model.Holds},
		"of now":      {model.Request{Kind: model.Get, Key: "a"}, model.Violated},
	} {
		h := &model.History{Clients: []string{"x", "y", "w"}, Initial: model.Initial{Revision: 2, Items: []*model.Item{first}}, Operations: []model.Operation{
			unanswered(0, "x"), unanswered(1, "y"),
			answered(2, 2, model.Request{Kind: model.Put, Key: "a", Value: "2"}, model.Result{Revision: 3}),
			answered(2, 4, model.Request{Kind: model.Txn, Success: []model.Request{c.read}},
				model.Result{Revision: 3, Succeeded: true, Results: []model.Result{{Items: []*model.Item{first}, Count: 1}}}),
			answered(2, 6, model.Request{Kind: model.Put, Key: "a", Value: "3"}, model.Result{Revision: 5}),
			answered(2, 8, model.Request{Kind: model.Get, Key: "a"}, model.Result{Revision: 5, Count: 1,
				Items: []*model.Item{{Key: "a", Value: "3", CreateRevision: 2, ModRevision: 5, Version: 3}}}),
		}}
		var j Judge
		judged, err := j.Judge.Check(h, nil, linearizability.Linearizable)
		require.NoError(t, err, name)
		require.Equal(t, c.want, judged[0].Verdict, "%s: %v", name, judged[0].Why)
	}
}
