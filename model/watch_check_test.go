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
