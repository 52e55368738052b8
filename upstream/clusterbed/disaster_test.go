package clusterbed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"

	"github.com/watchbed/watchbed/upstream/clusternode"
)

// TestLose: what was said behind the revision that is still there is taken out of the history, and nothing that was
// asked behind the disaster.
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

// TestRestored: no revision is told twice with other contents.
func TestRestored(t *testing.T) {
	change := func(revision int64, of model.EventType, value string) model.WatchResponse {
		return model.WatchResponse{Revision: revision, Events: []model.WatchEvent{{Type: of, Revision: revision, Item: &model.Item{Key: "a", Value: value, ModRevision: revision}}}}
	}
	history := func(initial int64, from int64, responses ...model.WatchResponse) *model.History {
		return &model.History{
			Initial:  model.Initial{Revision: initial, Items: []*model.Item{{Key: "a", Value: "x", ModRevision: 5}}},
			Watchers: []model.Watcher{{Client: "w", Streams: []model.WatchStream{{Request: model.WatchRequest{StartRevision: from}, Responses: responses}}}},
		}
	}
	const bump = 100
	before := history(1, 1, change(4, model.DeleteEvent, ""), change(5, model.PutEvent, "x"), change(9, model.PutEvent, "lost"))
	after := history(106, 106, change(107, model.PutEvent, "y"))
	require.Equal(t, model.Holds, restored(before, after, bump).Verdict)
	for label, of := range map[string][2]*model.History{
		"back":  {before, history(8, 8)},
		"other": {history(1, 1, change(5, model.PutEvent, "z")), after},
		"watch": {before, history(106, 10, change(107, model.PutEvent, "y"))},
	} {
		require.Equal(t, label, restored(of[0], of[1], bump).Label)
	}
	require.Equal(t, "other", restored(history(1, 1, change(6, model.PutEvent, "newer")), after, bump).Label)
	require.Equal(t, "other", restored(history(1, 1, change(6, model.DeleteEvent, "")), after, bump).Label)
	require.Equal(t, model.Vacuous, restored(before, nil, bump).Verdict)
}
