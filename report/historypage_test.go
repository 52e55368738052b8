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
		"<title>page: violated</title>", "<h1>page: violated</h1>\n<p>2 operations of 1 client, 1 watcher.</p>", "Note: something is left out.",
		`<td>ordered</td><td class="violated">violated</td><td>1 time</td>`,
		`<b>ordered</b> is violated: Of w&#39;s watch, stream 1: the put of &#34;k&#34; at revision 2 comes after revision 3.`,
		`<p class="unsaid"><b>linearizable</b> is vacuous: No consistent read, and no transaction`,
	} {
		require.Contains(t, b.String(), want)
	}
}

// TestHistoryPageDrawsTheWatch: a bar lies where its revision does, and what is wrong is marked, also what did
// not come. What is far from it is left out.
func TestHistoryPageDrawsTheWatch(t *testing.T) {
	responses := []model.WatchResponse{{Revision: 1, Progress: true}}
	for rev := int64(2); rev <= 41; rev++ {
		responses = append(responses, model.WatchResponse{Events: []model.WatchEvent{{Revision: rev, Item: &model.Item{Key: "k", Value: "v"}}}})
	}
	h := &model.History{Watchers: []model.Watcher{{Client: "other"}, {Client: "w", Streams: []model.WatchStream{{}, {Responses: responses}}}}}
	r := &check.Result{Verdict: model.Violated, Judgements: []check.Judgement{
		{Property: "ordered", Verdict: model.Violated, Watch: &check.WatchViolation{Client: "w", Stream: 1, Response: 20, Event: 0, Revision: 21}},
		{Property: "reliable", Verdict: model.Violated, Watch: &check.WatchViolation{Client: "w", Stream: 1, Response: -1, Event: -1, Revision: 25, Key: "lost"}},
	}}
	streams := watched(h, r)
	require.Len(t, streams, 1)
	require.Equal(t, "w, stream 2", streams[0].Client)
	rows := streams[0].Operations
	// Of 42 rows the 20th and the 25th from 0 are wrong: those from the 10th to the 35th stand there.
	require.Len(t, rows, 1+26+1)
	require.Equal(t, operationRow{Asked: "⋮ 10 more"}, rows[0])
	require.Equal(t, operationRow{Asked: "put k=v", Answer: "revision 21", When: "response 21", Class: "done wrong", Begin: 100 * 20 / 41., Length: 100 / 41.}, rows[11])
	lost := rows[16]
	require.Equal(t, "nothing of lost", lost.Asked)
	require.Equal(t, "revision 25 was not sent", lost.Answer)
	require.True(t, lost.wrong())
	require.InDelta(t, 100*25/41., rows[17].Begin, 1e-9, "revision 26 is behind a row that has none")
	require.Equal(t, "⋮ 6 more", rows[len(rows)-1].Asked)

	var b bytes.Buffer
	require.NoError(t, WriteHistoryHTML(&b, "page", h, nil, r))
	require.Contains(t, b.String(), "What the watch was sent")
	require.Contains(t, b.String(), `<tr class="done wrong">`)
	require.NotContains(t, b.String(), "What the clients saw", "there are none")
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
