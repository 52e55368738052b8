package clusterbed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"

	"github.com/watchbed/watchbed/upstream/clusternode"
)

// TestLose: what was said behind the revision that is still there is taken out of the history, and nothing that was asked behind the disaster.
func TestLose(t *testing.T) {
	op := func(call int64, of model.Kind, revision int64) model.Operation {
		return model.Operation{Call: call, Return: call + 1, Request: &model.Request{Kind: of, Key: "a"}, Result: &model.Result{Revision: revision}}
	}
	told := func(revisions ...int64) (s model.WatchStream) {
		for _, rev := range revisions {
			s.Responses = append(s.Responses, model.WatchResponse{Revision: rev})
		}
		return s
	}
	h := &model.History{
		Operations: []model.Operation{op(1, model.Put, 5), op(2, model.Put, 6), op(3, model.Get, 6), op(11, model.Get, 6)},
		Watchers:   []model.Watcher{{Streams: []model.WatchStream{told(4, 5), told(5, 6, 7), told(7), told(6)}}},
	}
	opened := lose(h, [][]int64{{1, 2, 3, 12}}, clusternode.Loss{Tick: 10, Told: 5})
	require.Equal(t, [][]int64{{1, 2}, {12}}, opened)
	require.Len(t, h.Operations, 3)
	require.Equal(t, model.Unknown, h.Operations[1].Outcome)
	require.EqualValues(t, 11, h.Operations[2].Call)
	require.Equal(t, []model.WatchStream{told(4, 5), told(5)}, h.Watchers[0].Streams)
	require.Equal(t, []model.WatchStream{told(6)}, h.Watchers[1].Streams)
}
