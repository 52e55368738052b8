package linearizability

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/linearizability/expiry"
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
	for range porcupineOperations {
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
		judged, err := j.CheckRecorded(deletedTwice(c.last), Linearizable, Sequential)
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
		judged, err := j.CheckRecorded(h, orderedProperties...)
		require.NoError(t, err)
		for _, g := range judged {
			require.Equal(t, c.want, g.Verdict, "%s: %+v: %s", g.Property, g, j.Reason(&g))
		}
	}
}

// TestALostPutMayBeOnALeaseThatExpired: a key is gone because a lost write put it on a lease, which
// expired.
func TestALostPutMayBeOnALeaseThatExpired(t *testing.T) {
	h := parse(t, start,
		`{"client":"w","op":"put","call":1,"request":{"key":"a","value":"new","lease":7},"unknown":true}`,
		`{"client":"r","op":"get","call":2,"return":3,"request":{"key":"a"},"response":{}}`)
	var j Judge
	judged, err := j.CheckRecorded(h, orderedProperties...)
	require.NoError(t, err)
	for _, g := range judged {
		require.NotEqual(t, model.Violated, g.Verdict, "%s: %v", g.Property, g.Why)
	}
}

// TestAnAnswerInATransactionShowsWhatItPutFirst: a transaction that puts a key twice reads the first
// item in between, which no answer behind it shows.
func TestAnAnswerInATransactionShowsWhatItPutFirst(t *testing.T) {
	put := func(value string) string {
		return `{"op":"txn","success":[{"op":"put","key":"a","value":"` + value + `"}]}`
	}
	h := parse(t, start,
		`{"client":"w","op":"txn","call":1,"return":2,"request":{"success":[`+put("x")+`,{"op":"get","key":"a"},`+put("y")+`]},`+
			`"response":{"succeeded":true,"responses":[{"succeeded":true,"responses":[{}]},{"items":[{"key":"a","value":"x","create":2,"mod":3,"version":2}]},{"succeeded":true,"responses":[{}]}]}}`,
		// By its request, but not by its answer, this one may have put the same item.
		`{"client":"v","op":"txn","call":3,"return":4,"request":{"compare":[{"key":"a","target":"mod","result":"=","value":99}],`+
			`"success":[{"op":"put","key":"a","value":"x"}],"failure":[{"op":"put","key":"b","value":"z"}]},"response":{"responses":[{}]}}`)
	j := Judge{Operations: -1, Steps: 1}
	judged, err := j.CheckRecorded(h, orderedProperties...)
	require.NoError(t, err)
	for _, g := range judged {
		require.NotEqual(t, model.Violated, g.Verdict, "%s: %v", g.Property, g.Why)
	}
}

// TestAnExpiryOfOneOfTwoLeases: either of two lost writes may have put a key on a lease that the
// next write keeps, and one of the leases expires. The key may stay.
func TestAnExpiryOfOneOfTwoLeases(t *testing.T) {
	h := parse(t, start,
		`{"client":"w","op":"put","call":1,"return":2,"request":{"key":"d","lease":2},"response":{"revision":3}}`,
		`{"client":"u","op":"put","call":3,"request":{"key":"a","value":"new","lease":2},"unknown":true}`,
		`{"client":"v","op":"put","call":4,"request":{"key":"a","value":"new","lease":3},"unknown":true}`,
		`{"client":"w","op":"put","call":5,"return":6,"request":{"key":"a","value":"x","ignoreLease":true},"response":{"revision":5}}`,
		`{"client":"w","op":"put","call":10,"return":11,"request":{"key":"c"},"response":{"revision":7}}`,
		`{"client":"r","op":"get","call":12,"return":13,"request":{"key":"d"},"response":{}}`,
		`{"client":"r","op":"get","call":14,"return":15,"request":{"key":"a"},"response":{"items":[{"key":"a","value":"x","mod":5}]}}`)
	require.True(t, bruteForce(expiry.Add(h), Linearizable))
	j := Judge{Operations: -1, Steps: 1}
	judged, err := j.CheckRecorded(h, orderedProperties...)
	require.NoError(t, err)
	for _, g := range judged {
		require.NotEqual(t, model.Violated, g.Verdict, "%s: %v", g.Property, g.Why)
	}
}
