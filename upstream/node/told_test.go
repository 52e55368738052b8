package node

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTold: a story names goroutines as the source has their functions, and tells of no other question.
func TestTold(t *testing.T) {
	for question, want := range map[string][2]string{
		"pass over etcdserver.(*raftNode).start.func1#0":            {"passes over ", "raftNode.start"},
		"yield at a lock in etcdserver.(*EtcdServer).run.gowrap1#3": {"gives way at a lock in ", "EtcdServer.run"},
		"select in mvcc.(*watchableStore).syncWatchersLoop#0":       {"takes another case of a select in ", "watchableStore.syncWatchersLoop"},
		"pass over main.serve.func2.1#12":                           {"passes over ", "main.serve"},
		"goroutines are late":                                       {"goroutines that can run are late", ""},
		"network delay":                                             {"", ""},
	} {
		text, goroutine := Told(question)
		require.Equal(t, want, [2]string{text, goroutine}, question)
	}
}
