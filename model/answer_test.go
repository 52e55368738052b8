package model

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of watched, revision 6 is a transaction on a and b, revision 7 deletes a.
func TestAnswersAtARevision(t *testing.T) {
	l := watched()
	put := func(key, value string) Request { return Request{Kind: Put, Key: key, Value: value} }
	list := Request{Kind: List, Key: "a", End: "c", CountOnly: true}
	past := list
	past.Freshness, past.Revision = Exact, 5
	for name, tc := range map[string]struct {
		request Request
		rev     int64
		want    []Result
	}{
		"a read":             {list, 6, []Result{{Revision: 6, Count: 2}}},
		"a read of the past": {past, 8, []Result{{Revision: 8, Count: 2}}},
		"a put":              {put("a", "6"), 6, []Result{{Revision: 6}}},
		"a delete that made the revision, or nothing": {Request{Kind: Delete, Key: "a"}, 7, []Result{{Revision: 7, Deleted: 1}, {Revision: 7}}},
		"a transaction that reads": {
			Request{Kind: Txn, Success: []Request{past, list}}, 8,
			[]Result{{Revision: 8, Succeeded: true, Results: []Result{{Count: 2}, {Count: 1}}}},
		},
		"a revision that is not there": {list, 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := l.Answers(&tc.request, &Result{Revision: tc.rev})
			require.True(t, slices.EqualFunc(tc.want, got, func(a, b Result) bool { return a.Equal(&b) }), "%+v", got)
		})
	}
}

// TestItemsThatSortAlike: which of them a limit leaves out is up to etcd.
func TestItemsThatSortAlike(t *testing.T) {
	l := NewLog(Initial{Revision: 1})
	for _, key := range []string{"a", "b", "c", "c"} {
		l.Append(&Request{Kind: Put, Key: key})
	}
	r := &Request{Kind: List, Key: "a", End: "z", Limit: 2, Selection: Selection{SortBy: ByVersion, Descending: true}}
	txn := &Request{Kind: Txn, Success: []Request{*r}}
	for keys, right := range map[string]bool{"ca": true, "cb": true, "ab": false, "ac": false, "cc": false} {
		res := Result{Count: 3, More: true}
		for _, key := range keys {
			res.Items = append(res.Items, l.At(5).Get(string(key)))
		}
		within := Result{Revision: 5, Succeeded: true, Results: []Result{res}}
		res.Revision = 5
		require.Equal(t, right, l.Answers(r, &res)[0].Equal(&res), keys)
		require.Equal(t, right, l.Answers(txn, &within)[0].Equal(&within), keys)
	}
}

func TestMalformed(t *testing.T) {
	put, del := Request{Kind: Put, Key: "b"}, Request{Kind: Delete, Key: "a", End: "c"}
	other := Request{Kind: Put, Key: "c"}
	for name, tc := range map[string]struct {
		request   Request
		malformed bool
	}{
		"no key":                         {Request{Kind: List}, true},
		"a compaction":                   {Request{Kind: Compact}, false},
		"a compare without a key":        {Request{Kind: Txn, Compare: []Compare{{}}}, true},
		"an operation without a key":     {Request{Kind: Txn, Failure: []Request{{Kind: Put}}}, true},
		"a put twice":                    {Request{Kind: Txn, Success: []Request{put, other, put}}, true},
		"a put in both branches":         {Request{Kind: Txn, Success: []Request{put}, Failure: []Request{put}}, false},
		"a put that is deleted":          {Request{Kind: Txn, Success: []Request{del, put}}, true},
		"a put behind the deleted range": {Request{Kind: Txn, Success: []Request{del, other}}, false},
		"deletes that overlap":           {Request{Kind: Txn, Success: []Request{del, del}}, false},
		"128 compares":                   {Request{Kind: Txn, Compare: slices.Repeat([]Compare{{Key: "a"}}, 128)}, false},
		"129 operations":                 {Request{Kind: Txn, Success: slices.Repeat([]Request{{Kind: List, Key: "a"}}, 129)}, true},
	} {
		require.Equal(t, tc.malformed, tc.request.Malformed(), name)
	}
}
