package model

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// watched is a log of eight revisions: keys a and b under the watch, x outside
// of it; revision 6 is a transaction on both, revision 7 deletes a.
func watched() *Log {
	l := NewLog(Initial{Revision: 1})
	put := func(key, value string) Request { return Request{Kind: Put, Key: key, Value: value} }
	for _, r := range []Request{
		put("a", "2"), put("x", "3"), put("b", "4"), put("a", "5"),
		{Kind: Txn, Success: []Request{put("a", "6"), put("b", "6")}},
		{Kind: Delete, Key: "a"}, put("b", "8"),
	} {
		l.Append(&r)
	}
	return l
}

// sent are the events of a revision, for a test to change.
func sent(l *Log, rev int64) []WatchEvent { return slices.Clone(l.events(rev)) }

// healthy is a watch of all of that from revision 2 on, in two streams. What may be wrong with it is in testdata of
// package check.
func healthy(l *Log) []WatchStream {
	req := WatchRequest{Key: "a", End: "c", StartRevision: 2, PrevKV: true}
	again := req
	again.StartRevision = 7
	return []WatchStream{
		{Request: req, Responses: []WatchResponse{
			{Revision: 8, Created: true},
			{Revision: 5, Events: append(l.events(2), l.events(4)...)},
			{Revision: 5, Events: l.events(5)},
			{Revision: 5, Progress: true},
			{Revision: 6, Events: l.events(6)},
		}},
		{Request: again, Responses: []WatchResponse{
			{Revision: 8, Created: true},
			{Revision: 7, Events: sent(l, 7)},
			{Revision: 8, Events: sent(l, 8)},
			{Revision: 8, Progress: true},
		}},
	}
}

func judged(streams []WatchStream, l *Log) map[WatchGuarantee]WatchJudgement {
	out := map[WatchGuarantee]WatchJudgement{}
	for _, j := range CheckWatch(streams, l) {
		out[j.Guarantee] = j
	}
	return out
}

func TestNothingWatched(t *testing.T) {
	for _, j := range CheckWatch([]WatchStream{{Request: WatchRequest{Key: "a"}}}, watched()) {
		require.Equal(t, Vacuous, j.Verdict, j.Guarantee)
	}
}

// A watch from now on starts behind the revision at which it was created.
func TestWatchFromNow(t *testing.T) {
	l := watched()
	s := []WatchStream{{Request: WatchRequest{Key: "a", End: "c"}, Responses: []WatchResponse{
		{Revision: 4, Created: true}, {Revision: 6, Events: stripped(sent(l, 6))},
	}}}
	got := judged(s, l)[Reliable]
	require.Equal(t, Violated, got.Verdict)
	require.Equal(t, `the put of "a" at revision 5 is missing: the watch has reached revision 6`, got.Why.Sentence)
	s[0].Responses[0].Revision = 5
	require.Equal(t, Holds, judged(s, l)[Reliable].Verdict)
}

// The previous item may be missing where etcd had compacted it, and only there.
func TestPreviousItemCompacted(t *testing.T) {
	l := watched()
	l.Append(&Request{Kind: Compact, Revision: 8})
	streams := healthy(l)
	streams[1].Responses[2].Events[0].PrevItem = nil
	require.Equal(t, Holds, judged(streams, l)[PrevKV].Verdict)
}

func stripped(events []WatchEvent) []WatchEvent {
	for i := range events {
		events[i].PrevItem = nil
	}
	return events
}

// A client that lists anew gets the changes between two streams from the list. A
// client that only watches again does not. Both must be sent the changes that
// the list did not show.
func TestWatchAfterAList(t *testing.T) {
	l := watched()
	for _, listed := range []bool{false, true} {
		streams := healthy(l)
		streams[1].Request.StartRevision = 8
		streams[1].Responses = streams[1].Responses[2:]
		streams[1].Listed = listed
		j := judged(streams, l)[Resumable]
		require.Equal(t, !listed, j.Verdict == Violated, "listed: %v", listed)
	}
	streams := healthy(l)
	streams[1].Listed = true
	streams[1].Responses = append(streams[1].Responses[:1:1], streams[1].Responses[2:]...)
	require.Equal(t, Violated, judged(streams, l)[Resumable].Verdict, "the list at revision 6 does not show the deletion at 7")
}

// TestOneRevisionPutsAndDeletesAKey: etcd accepts both in one transaction if the deletion
// ends with "\x00", and sends an event for each.
func TestOneRevisionPutsAndDeletesAKey(t *testing.T) {
	l := NewLog(Initial{Revision: 1})
	l.Append(&Request{Kind: Txn, Success: []Request{{Kind: Put, Key: "b", Value: "1"}, {Kind: Delete, Key: "a", End: "\x00"}}})
	put := WatchEvent{Item: &Item{Key: "b", Value: "1", CreateRevision: 2, ModRevision: 2, Version: 1}, Revision: 2}
	gone := WatchEvent{Type: DeleteEvent, Item: &Item{Key: "b", ModRevision: 2}, Revision: 2}
	verdict := func(g WatchGuarantee, events ...WatchEvent) Verdict {
		all := CheckWatch([]WatchStream{{
			Request:   WatchRequest{Key: "a", End: "\x00", StartRevision: 2},
			Responses: []WatchResponse{{Revision: 2, Events: events}},
		}}, l)
		i := slices.IndexFunc(all, func(j WatchJudgement) bool { return j.Guarantee == g })
		return all[i].Verdict
	}
	for _, g := range WatchGuarantees() {
		require.NotEqual(t, Violated, verdict(g, put, gone), g)
	}
	require.Equal(t, Violated, verdict(Reliable, put), "the deletion is missing")
	require.Equal(t, Violated, verdict(Unique, put, gone, gone))
	l.Append(&Request{Kind: Put, Key: "b", Value: "2"})
	l.Append(&Request{Kind: Txn, Success: []Request{
		{Kind: Delete, Key: "a", End: "\x00"}, {Kind: Put, Key: "b", Value: "3"}, {Kind: Delete, Key: "a", End: "\x00"},
	}})
	for i := range 3 {
		gone := WatchEvent{Type: DeleteEvent, Item: &Item{Key: "b", ModRevision: 4}, PrevItem: l.At(3).Get("b"), Revision: 4}
		put := WatchEvent{Item: &Item{Key: "b", Value: "3", CreateRevision: 4, ModRevision: 4, Version: 1}, Revision: 4}
		all := CheckWatch([]WatchStream{{
			Request:   WatchRequest{Key: "a", End: "\x00", StartRevision: 4, PrevKV: true},
			Responses: []WatchResponse{{Revision: 4, Events: append([]WatchEvent{gone, put}, slices.Repeat([]WatchEvent{gone}, i)...)}},
		}}, l)
		for _, j := range all {
			require.Equal(t, i == 2 && j.Guarantee == Unique, j.Verdict == Violated, "%s, deleted %d times: %v", j.Guarantee, i+1, j.Why)
		}
	}
}

// TestCompactionWithinARevision: a compaction at the revision that puts and deletes a key
// keeps the deletion only, so that a watch from there on is not sent the put.
func TestCompactionWithinARevision(t *testing.T) {
	compacted := func(at int64, events ...WatchEvent) map[WatchGuarantee]WatchJudgement {
		l := NewLog(Initial{Revision: 1})
		l.Append(&Request{Kind: Txn, Success: []Request{{Kind: Put, Key: "b", Value: "1"}, {Kind: Delete, Key: "a", End: "\x00"}}})
		l.Append(&Request{Kind: Put, Key: "b", Value: "2"})
		l.Append(&Request{Kind: Compact, Revision: at})
		put := WatchEvent{Item: &Item{Key: "b", Value: "2", CreateRevision: 3, ModRevision: 3, Version: 1}, Revision: 3}
		return judged([]WatchStream{{
			Request: WatchRequest{Key: "a", End: "\x00", StartRevision: 1},
			Responses: []WatchResponse{
				{Revision: 3, Events: append(events, put)}, {Revision: 3, Progress: true},
			},
		}}, l)
	}
	gone := WatchEvent{Type: DeleteEvent, Item: &Item{Key: "b", ModRevision: 2}, Revision: 2}
	for _, g := range []WatchGuarantee{Reliable, Resumable, Bookmarkable} {
		require.NotEqual(t, Violated, compacted(2, gone)[g].Verdict, g)
	}
	require.Equal(t, Violated, compacted(1, gone)[Reliable].Verdict, "the put was not compacted")
	require.Equal(t, Violated, compacted(2)[Resumable].Verdict, "the deletion is the newest change of the key at revision 2")
	require.Equal(t, Violated, compacted(2)[Bookmarkable].Verdict)
}
