package largehistory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
)

// TestEverythingComesAbout: what the package comment promises is there, often.
func TestEverythingComesAbout(t *testing.T) {
	h := Make(20_000)
	require.Len(t, h.Operations, 20_000)
	seen := map[string]int{}
	returned := make([]int64, 0, len(h.Operations))
	for i := range h.Operations {
		op := &h.Operations[i]
		r := op.Request
		seen[r.Kind.String()]++
		if op.Outcome == model.Unknown {
			seen["unknown"]++
			continue
		}
		if r.Kind == model.Txn {
			seen[map[bool]string{true: "txn that succeeds", false: "txn that fails"}[op.Result.Succeeded]]++
		}
		if r.Kind == model.Delete && op.Result.Deleted == 0 {
			seen["delete of nothing"]++
		}
		if r.Freshness == model.Any {
			seen["weaker list"]++
		}
		if op.Result.More {
			seen["page"]++
		}
		if len(returned) > 0 && op.Call < returned[len(returned)-1] {
			seen["overlapping"]++
		}
		returned = append(returned, op.Return)
	}
	for _, w := range h.Watchers {
		for _, s := range w.Streams {
			seen["stream"]++
			for _, r := range s.Responses {
				if r.Progress {
					seen["bookmark"]++
				}
				for _, e := range r.Events {
					seen["event "+e.Type.String()]++
				}
			}
		}
	}
	for what, least := range map[string]int{
		"put": 1000, "delete": 1000, "txn": 1000, "get": 1000, "list": 1000, "unknown": 5, "txn that succeeds": 1000, "txn that fails": 100,
		"delete of nothing": 100, "weaker list": 1000, "page": 100, "overlapping": 10_000, "stream": 2, "bookmark": 10,
		"event put": 5000, "event delete": 500,
	} {
		require.GreaterOrEqual(t, seen[what], least, "%s: %v", what, seen)
	}
}

// TestSameSizeSameHistory: figures are of one history.
func TestSameSizeSameHistory(t *testing.T) {
	require.Equal(t, Make(500), Make(500))
}
