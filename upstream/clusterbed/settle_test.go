package clusterbed

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
)

// TestSettle: writes without an answer have the revisions of the events that they made.
func TestSettle(t *testing.T) {
	event := func(of model.EventType, revision int64, value string) model.WatchEvent {
		return model.WatchEvent{Type: of, Revision: revision, Item: &model.Item{Key: "a", Value: value}}
	}
	put := func(value string) *model.Request { return &model.Request{Kind: model.Put, Key: "a", Value: value} }
	remove := &model.Request{Kind: model.Delete, Key: "a"}
	txn := &model.Request{Kind: model.Txn, Success: []model.Request{*remove, *put("txn")}}
	for name, tc := range map[string]struct {
		unanswered *model.Request
		whole      bool
		want       int64
	}{
		"a put that was seen":                                                {put("seen"), false, 2},
		"a transaction that was seen":                                        {txn, false, 3},
		"a put that was not seen":                                            {put("lost"), false, 0},
		"a put that was not seen by one that saw all":                        {put("lost"), true, -1},
		"a nested transaction that was seen":                                 {&model.Request{Kind: model.Txn, Success: []model.Request{{Kind: model.Txn, Success: []model.Request{*put("seen")}}}}, false, 2},
		"a deletion is not one that was answered, nor that of a transaction": {remove, false, 5},
	} {
		h := &model.History{
			Operations: []model.Operation{
				{Call: 1, Return: 2, Request: remove, Outcome: model.Done, Result: &model.Result{Revision: 4, Deleted: 1}},
				{Call: 3, Return: math.MaxInt64, Request: tc.unanswered, Outcome: model.Unknown},
			},
			Watchers: []model.Watcher{{Streams: []model.WatchStream{{Responses: []model.WatchResponse{
				{Events: []model.WatchEvent{event(model.PutEvent, 2, "seen"), event(model.DeleteEvent, 3, ""), event(model.PutEvent, 3, "txn")}},
				{Events: []model.WatchEvent{event(model.DeleteEvent, 4, ""), event(model.DeleteEvent, 5, "")}},
			}}}}},
		}
		settle(h, tc.whole)
		require.Equal(t, tc.want, h.Operations[1].Commit, name)
	}
}
