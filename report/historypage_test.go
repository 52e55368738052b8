package report

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/model"
)

// TestHistoryPageSaysWhy: a page has the verdicts on watches, and why one says nothing.
func TestHistoryPageSaysWhy(t *testing.T) {
	put := func(call, rev int64) model.Operation {
		return model.Operation{Call: call, Return: call + 1, Request: &model.Request{Kind: model.Put, Key: "k"}, Result: &model.Result{Revision: rev}}
	}
	event := func(rev int64) model.WatchResponse {
		return model.WatchResponse{Revision: rev, Events: []model.WatchEvent{{Revision: rev, Item: &model.Item{Key: "k", ModRevision: rev}}}}
	}
	h := &model.History{
		Clients: []string{"a"}, Initial: model.Initial{Revision: 1}, Operations: []model.Operation{put(1, 2), put(3, 3)},
		Watchers: []model.Watcher{{Client: "w", Streams: []model.WatchStream{{
			Request: model.WatchRequest{Key: "k", StartRevision: 2}, Responses: []model.WatchResponse{event(3), event(2)},
		}}}},
	}
	r, err := check.History(h, check.Options{})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, WriteHistoryHTML(&b, "page", h, []string{"something is left out"}, r))
	for _, want := range []string{
		"page: 2 operations of 1 client, 1 watcher", "Note: something is left out.",
		`<td>ordered</td><td class="violated">violated</td><td>1 time</td>`,
		`<b>ordered</b> is violated: Of w&#39;s watch, stream 1: the put of &#34;k&#34; at revision 2 comes after revision 3.`,
		`<p class="unsaid"><b>linearizable</b> is vacuous: No consistent read, and no transaction`,
	} {
		require.Contains(t, b.String(), want)
	}
}

// TestAViolationThatNeededNoCheckHasNoCount: "violated, 0 times checked" would read as a mistake.
func TestAViolationThatNeededNoCheckHasNoCount(t *testing.T) {
	h := &model.History{Clients: []string{"a"}, Initial: model.Initial{Revision: 1}}
	r := &check.Result{Judgements: []check.Judgement{{Property: "sequential", Verdict: model.Violated, By: "witness"}, {Property: "linearizable", Verdict: model.Vacuous, By: "witness"}}}
	var b bytes.Buffer
	require.NoError(t, WriteHistoryHTML(&b, "page", h, nil, r))
	require.Contains(t, b.String(), `<td class="violated">violated</td><td></td>`)
	require.Contains(t, b.String(), `<td class="vacuous">vacuous</td><td>0 times</td>`)
}
