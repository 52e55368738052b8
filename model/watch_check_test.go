package model

import (
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

// What may be wrong with a watch is in testdata of package check.
func TestNothingWatched(t *testing.T) {
	for _, j := range CheckWatch([]WatchStream{{Request: WatchRequest{Key: "a"}}}, watched()) {
		require.Equal(t, Vacuous, j.Verdict, j.Guarantee)
	}
}

// A client that goes on behind an event of a revision, which has another one, loses that: it may still have come as
// long as the first stream went on.
func TestStreamEndsInTheMiddleOfARevision(t *testing.T) {
	log := watched()
	part := WatchStream{Request: WatchRequest{Key: "a", End: "c", StartRevision: 6}, Parts: true}
	part.Responses = []WatchResponse{{Revision: 6, Events: log.events(6)[:1]}}
	next := WatchStream{Request: WatchRequest{Key: "a", End: "c", StartRevision: 7}, Parts: true}
	listed, whole := next, part
	listed.Listed = true
	whole.Responses = append([]WatchResponse{{Revision: 6, Events: log.events(6)[1:]}}, part.Responses...)
	for _, c := range []struct {
		streams []WatchStream
		want    string
	}{
		{[]WatchStream{part}, ""},
		{[]WatchStream{part, listed}, ""},
		{[]WatchStream{whole, next}, ""},
		{[]WatchStream{part, next}, "the put of \"b\" at revision 6 is in neither of two watches: one ended in the middle of that revision, the next began at 7"},
	} {
		for _, j := range CheckWatch(c.streams, log) {
			switch {
			case j.Guarantee == Reliable:
				require.NotEqual(t, Violated, j.Verdict)
			case j.Guarantee == Resumable && c.want != "":
				require.Equal(t, c.want, j.Why.Sentence)
			case j.Guarantee == Resumable:
				require.Nil(t, j.Why)
			}
		}
	}
}
