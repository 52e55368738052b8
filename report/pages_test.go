package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/check"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
)

// TestPagesEscape: histories and recordings come from strangers.
func TestPagesEscape(t *testing.T) {
	const evil = `<script>alert("x")</script>`
	h := &model.History{Clients: []string{evil}, Operations: []model.Operation{{
		Call: 1, Return: 2, Request: &model.Request{Kind: model.Put, Key: evil, Value: evil},
		Outcome: model.Done, Result: &model.Result{Revision: 1},
	}}}
	var b bytes.Buffer
	require.NoError(t, WriteHistoryHTML(&b, evil, h, []string{evil}, &check.Result{Judgements: []check.Judgement{
		{Property: "linearizable", Verdict: model.Violated, Operations: &linearizability.Explanation{Sentence: evil}},
		{Property: "ordered", Verdict: model.Violated, Watch: &check.WatchViolation{Sentence: evil}},
		{Property: "sequential", Verdict: model.VerdictUnknown, Reason: evil},
	}}))
	require.False(t, strings.Contains(b.String(), evil))
	require.True(t, strings.Contains(b.String(), "&lt;script&gt;"))

	d := *told(t, "stale-own-write")
	rec := *d.Recording
	rec.Tool, d.Recording = evil, &rec
	b.Reset()
	require.NoError(t, WriteRunHTML(&b, "simrun", &d))
	require.False(t, strings.Contains(b.String(), evil))
	require.True(t, strings.Contains(b.String(), `<table class="steps`))
	require.False(t, strings.Contains(b.String(), "<script"), "what matters is there without JavaScript; only porcupine's frame has some")
	for _, from := range []string{`src="http`, `href="http`, "url(http", "@import"} {
		require.False(t, strings.Contains(b.String(), from), "the page needs nothing from elsewhere: %s", from)
	}

	b.Reset()
	evilRow := stepRow{When: evil, How: evil, Node: evil, Says: []saying{{evil, evil}}, Holds: []nodeState{{evil, []partState{{Name: evil, Entries: []heldEntry{{Text: evil}}}}}}}
	require.NoError(t, runTemplate.ExecuteTemplate(&b, "steps", stepTable{Lanes: []string{evil}, Rows: []stepRow{evilRow}}))
	require.NotContains(t, b.String(), evil)
}

// TestLongHistoriesAreNotDrawn: porcupine's page would be of gigabytes.
func TestLongHistoriesAreNotDrawn(t *testing.T) {
	h := &model.History{Clients: []string{"a"}}
	for i := range int64(linearizability.MaxVisualized + 1) {
		h.Operations = append(h.Operations, model.Operation{Call: 2 * i, Return: 2*i + 1, Request: &model.Request{Kind: model.Put, Key: "k"}, Outcome: model.Done, Result: &model.Result{Revision: i + 1}})
	}
	var b bytes.Buffer
	require.NoError(t, WriteHistoryHTML(&b, "long", h, nil, &check.Result{}))
	require.Contains(t, b.String(), "timelines are drawn up to")
	assert.NotContains(t, b.String(), "iframe title")
}

// TestTimelineIsDrawnOnceVisible: porcupine's script measures text, which fails
// in a frame that is not in view, so it runs when the frame is. It fails if
// porcupine's page changes.
func TestTimelineIsDrawnOnceVisible(t *testing.T) {
	h := &model.History{Clients: []string{"a"}, Operations: []model.Operation{{
		Call: 1, Return: 2, Request: &model.Request{Kind: model.Put, Key: "k"}, Outcome: model.Done, Result: &model.Result{Revision: 1},
	}}}
	page := timelineOf(h, linearizability.Linearizable).Page
	require.Equal(t, 3, strings.Count(page, "render(data)"), "its definition, and two calls")
	for _, call := range []string{"getBBox().width > 0) render(data)", "isIntersecting)) { o.disconnect(); render(data) }"} {
		require.True(t, strings.Contains(page, call), call)
	}
}
