package recorded

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
)

// deletedTwice is a history in which either of two deletes that were not answered may have made
// revision 4: nothing tells which. Of the key beside theirs all is known.
func deletedTwice(last []*model.Item) *model.History {
	h := &model.History{Clients: []string{"a", "b", "c"}, Initial: model.Initial{Revision: 1}}
	tick := int64(0)
	add := func(client int, r *model.Request, res *model.Result) {
		op := model.Operation{Client: client, Call: tick + 1, Return: tick + 2, Request: r, Result: res}
		if tick += 2; res == nil {
			op.Outcome, op.Return = model.Unknown, math.MaxInt64
		}
		h.Operations = append(h.Operations, op)
	}
	put := func(key, value string, rev int64) {
		add(0, &model.Request{Kind: model.Put, Key: key, Value: value}, &model.Result{Revision: rev})
	}
	put("doubtful", "1", 2)
	put("certain", "1", 3)
	add(1, &model.Request{Kind: model.Delete, Key: "doubtful"}, nil)
	add(2, &model.Request{Kind: model.Delete, Key: "doubtful"}, nil)
	put("certain", "2", 5)
	for range 10_000 {
		// No porcupine for as many.
		put("other", "x", h.Operations[len(h.Operations)-1].Result.Revision+1)
	}
	newest := h.Operations[len(h.Operations)-1].Result.Revision
	add(0, &model.Request{Kind: model.List, Key: "c", End: "d"}, &model.Result{Revision: newest, Items: last, Count: int64(len(last))})
	add(0, &model.Request{Kind: model.List, Key: "a", End: "e"}, &model.Result{Revision: newest, Items: last, Count: int64(len(last))})
	return h
}

// TestWrongWhateverBecameOfWrites: what is wrong about keys that no lost write is about is
// wrong for every fate of it.
func TestWrongWhateverBecameOfWrites(t *testing.T) {
	right := &model.Item{Key: "certain", Value: "2", CreateRevision: 3, ModRevision: 5, Version: 2}
	stale := &model.Item{Key: "certain", Value: "1", CreateRevision: 3, ModRevision: 3, Version: 1}
	for _, c := range []struct {
		last []*model.Item
		want model.Verdict
	}{
		{[]*model.Item{right}, model.Holds},
		{[]*model.Item{stale}, model.Violated},
		{nil, model.Violated},
	} {
		var j Judge
		judged, err := j.Check(deletedTwice(c.last), linearizability.Linearizable, linearizability.Sequential)
		require.NoError(t, err)
		for _, g := range judged {
			require.Equal(t, c.want, g.Verdict, "%s: %+v: %s", g.Property, g, j.Reason(&g))
			require.Equal(t, c.want == model.Violated, g.Why != nil)
		}
	}
}

// TestTwoDeletesThatWereNotAnswered: whichever of two deletes made a revision, the key is gone
// behind it.
func TestTwoDeletesThatWereNotAnswered(t *testing.T) {
	there := &model.Item{Key: "doubtful", Value: "1", CreateRevision: 2, ModRevision: 2, Version: 1}
	for _, c := range []struct {
		last []*model.Item
		want model.Verdict
	}{
		{nil, model.Holds},
		{[]*model.Item{there}, model.Violated},
	} {
		h := deletedTwice(nil)
		list := h.Operations[len(h.Operations)-1]
		list.Request = &model.Request{Kind: model.List, Key: "d", End: "e"}
		list.Result = &model.Result{Revision: list.Result.Revision, Items: c.last, Count: int64(len(c.last))}
		h.Operations = append(h.Operations[:len(h.Operations)-2], list)
		var j Judge
		judged, err := j.Check(h, orderedProperties...)
		require.NoError(t, err)
		for _, g := range judged {
			require.Equal(t, c.want, g.Verdict, "%s: %+v: %s", g.Property, g, j.Reason(&g))
		}
	}
}
