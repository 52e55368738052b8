package report

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/testbed"
)

// changed is a scenario with some parameters set, name=value.
func changed(t *testing.T, name string, set []string) (*testbed.Scenario, testbed.Params) {
	t.Helper()
	sc, err := testbed.FindScenario(name)
	require.NoError(t, err)
	p := sc.Params
	for _, s := range set {
		k, v, _ := strings.Cut(s, "=")
		require.NoError(t, p.Set(k, v))
	}
	return sc, p
}

// recorded is the first run of a scenario that violates a property, as it was
// found.
func recorded(t *testing.T, name, property string, set ...string) (*testbed.Scenario, *explore.Runner, *recording.Recording, explore.Failure) {
	t.Helper()
	sc, p := changed(t, name, set)
	system, err := sc.New(p)
	require.NoError(t, err)
	r := explore.NewRunner(system, p.Steps)
	c := strategy.Default().New(strategy.Measure(r))
	for seed := range uint64(20_000) {
		c.Begin(seed)
		result := r.Run(c)
		i := slices.IndexFunc(result.Findings, func(f explore.Finding) bool { return f.Property == property && f.Verdict == model.Violated })
		if i < 0 {
			continue
		}
		f := result.Findings[i].Failure()
		rec, _ := recording.RecordSeed(r, strategy.Default(), seed)
		rec.Scenario = sc.Name
		for _, x := range p.Expand() {
			rec.Parameters = append(rec.Parameters, recording.Parameter{Name: x.Name, Value: x.Value})
		}
		return sc, r, rec, f
	}
	t.Fatalf("%s is never violated", property)
	return nil, nil, nil, explore.Failure{}
}

// failing is that run, shrunk.
func failing(t *testing.T, name, property string, set ...string) (*testbed.Scenario, *recording.Recording, explore.Failure) {
	t.Helper()
	sc, r, rec, f := recorded(t, name, property, set...)
	small, err := recording.Shrink(context.Background(), r, rec, f, 5_000)
	require.NoError(t, err)
	return sc, small.Recording, f
}

func tell(t *testing.T, name, property string, set ...string) (*diagnosis.Diagnosis, string) {
	t.Helper()
	sc, rec, f := failing(t, name, property, set...)
	d, err := diagnosis.Of(sc, rec, f)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, WriteStory(&b, Terminal{}, d))
	t.Log("\n" + b.String())
	return d, b.String()
}

// inOrder wants each text after the one before.
func inOrder(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		i := strings.Index(text, w)
		require.GreaterOrEqual(t, i, 0, "%q in\n%s", w, text)
		text = text[i:]
	}
}

// TestStoryOf15220 wants the mechanism of the issue told in its order, who missed
// what, and the fix named.
func TestStoryOf15220(t *testing.T) {
	s, text := tell(t, "issue-15220", "linearizable-data")
	require.LessOrEqual(t, len(s.Story.Lines), 14)
	text = strings.Join(strings.Fields(text), " ")
	inOrder(t, text,
		"asks: Put", "applies Put", "goes into the watch channel", "asks: LIST", "hears from etcd that it is at revision", "waits for resourceVersion",
		"asks etcd for progress", "answered by recvLoop itself", "goes into ctrlStream", "sendLoop takes from ctrlStream, while the event of revision", "still waits in the watch channel: progress",
		"takes progress", "answers reader", "is told: resourceVersion", "consistent LIST of /registry/pods/", "It should show /registry/pods/", "had been told so before reader")
	require.Regexp(t, `written by writer-\d at revision \d+`, s.Story.Why)
	require.Contains(t, s.Decision.String(), "One behaviour of etcd decides: progress=control-queue.")
	require.Contains(t, s.Decision.String(), "progress=dropped (etcd 3.5.13 to 3.5.21)")
	require.Contains(t, s.Decision.String(), "passes")
}

// TestStoryOf15220CatchingUp: here no event is in any channel; the watcher's
// history has not been read yet.
func TestStoryOf15220CatchingUp(t *testing.T) {
	s, text := tell(t, "issue-15220-catching-up", "linearizable-data")
	require.LessOrEqual(t, len(s.Story.Lines), 14)
	inOrder(t, strings.Join(strings.Fields(text), " "), "unsynced, it has history to catch up on", "goes into ctrlStream, although a watcher is not synced: it wants to be sent what happened from revision", "takes progress")
	require.NotContains(t, text, "still waits")
	require.Contains(t, s.Decision.String(), "progress=control-queue")
}

func TestStoryOf17507(t *testing.T) {
	s, text := tell(t, "issue-17507", reads.AnswersInTime.Name)
	require.True(t, s.Story.Run.Trace.Timed)
	require.LessOrEqual(t, len(s.Story.Lines), 14, "what repeats is counted")
	inOrder(t, strings.Join(strings.Fields(text), " "), "waits for resourceVersion", "deferred until", "nothing wakes the deferred progress request", "ignored", "times more in between", "gives up on", "refused after 3s")
	require.Contains(t, s.Decision.String(), "progress=dropped (etcd 3.5.13 to 3.5.21)")
	require.NotContains(t, s.Decision.String(), "control-queue", "what came before is no remedy")
}

// TestStoryOfADivergence: there is no read at fault, and the cache that differs
// and the write that it lacks are told all the same.
func TestStoryOfADivergence(t *testing.T) {
	s, text := tell(t, "issue-15220-catching-up", caches.MatchEtcd.Name)
	require.LessOrEqual(t, len(s.Story.Lines), 14)
	inOrder(t, strings.Join(strings.Fields(text), " "), "asks: Put", "applies Put", "takes progress", "Cache says it is at RV")
}

// TestStoryOfAMovingClient tells both reads, and what each cache had listed.
func TestStoryOfAMovingClient(t *testing.T) {
	s, text := tell(t, "time-travel", "monotonic")
	for _, who := range []string{"cache-1", "cache-2", "reader"} {
		require.Contains(t, text, " "+who+" ")
	}
	require.Contains(t, s.Story.Why, "reader itself had been shown revision")
	require.Contains(t, s.Story.Why, "asks for no freshness")
	require.Contains(t, s.Decision.String(), "No behaviour of etcd or of the client library decides.")
}

// TestStoryOfAReadHeldToMore: the history has a consistent read where the reader
// asked with resourceVersion 0; the story says what was asked.
func TestStoryOfAReadHeldToMore(t *testing.T) {
	s, text := tell(t, "stale-list", "linearizable")
	require.Contains(t, text, "LIST /registry/pods/ RV=0")
	require.NotContains(t, s.Story.Why, "consistent LIST")
	require.Contains(t, s.Story.Why, "The scenario holds every read to what consistent ones promise")
}

// TestFlipNamesTheCause: a rare violation with another cause than progress. The
// story has the compaction that is one.
func TestFlipNamesTheCause(t *testing.T) {
	s, text := tell(t, "watch-guarantees", "reliable", "etcd=3.5.13")
	require.Contains(t, s.Decision.String(), "compact-tombstone=kept (etcd from 3.5.16 on)")
	require.Contains(t, text, "removes the deletion that is revision")
}

// TestFlipNamesTheClient: nothing of etcd decides.
func TestFlipNamesTheClient(t *testing.T) {
	s, _ := tell(t, "consistent-list", "unique", "etcd=3.5.7")
	require.Contains(t, s.Decision.String(), "One behaviour of the client library decides: resume-revision=at-header. With resume-revision=after-header (clientv3 from 3.5.8 on)")
}

// TestStoryOfALongRun: a run as it was found has hundreds of steps. The story is
// no longer for it, ends where the violation shows, and leaves out clients that
// have nothing to do with it.
func TestStoryOfALongRun(t *testing.T) {
	sc, _, rec, f := recorded(t, "consistent-list", caches.MatchEtcd.Name, "etcd=3.5.7")
	s, err := story.Tell(sc, rec, f)
	require.NoError(t, err)
	require.Greater(t, len(s.Run.Trace.Steps), 150)
	require.LessOrEqual(t, len(s.Lines), 24)
	last := s.Lines[len(s.Lines)-1]
	require.Equal(t, "cache", last.Node)
	require.Contains(t, last.Text, "takes ")
	require.Less(t, last.Step, len(s.Run.Trace.Steps), "the run goes on")

	sc, _, rec, f = recorded(t, "consistent-list", "linearizable-data", "etcd=3.5.7")
	s, err = story.Tell(sc, rec, f)
	require.NoError(t, err)
	clients := map[string]bool{}
	for _, l := range s.Lines {
		if strings.HasPrefix(l.Text, "asks: ") || strings.HasPrefix(l.Text, "is told: ") {
			clients[l.Node] = true
		}
	}
	require.Len(t, clients, 2, "the reader, and the writer of what is missing: %v", clients)
}

// TestStoryNamesTheCompaction behind a watcher that is not cancelled (#17529).
func TestStoryNamesTheCompaction(t *testing.T) {
	_, text := tell(t, "watch-guarantees", "reliable", "etcd=3.5.7")
	inOrder(t, text, "applies Compact", "syncWatchers")
}

func TestTellRefusesOtherRuns(t *testing.T) {
	sc, rec, f := failing(t, "stale-own-write", "sequential")
	_, err := story.Tell(sc, rec, explore.Failure{Property: "monotonic"})
	require.ErrorContains(t, err, "does not fail in the way monotonic")

	other := *rec
	other.Choices = rec.Choices[1:]
	_, err = story.Tell(sc, &other, f)
	var d *recording.Divergence
	require.True(t, errors.As(err, &d), "%v", err)

	other = *rec
	other.Parameters = []recording.Parameter{{Name: "etcd", Value: "9.9.9"}}
	_, err = story.Tell(sc, &other, f)
	require.ErrorContains(t, err, "recorded parameters")
}

func summarized(t *testing.T, name string, set ...string) *summary.Summary {
	t.Helper()
	sc, p := changed(t, name, set)
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	c, err := campaign.Run(context.Background(), subjects, campaign.Config{Seeds: 500})
	require.NoError(t, err)
	return summary.Of(sc, &p, c)
}

// TestJSONHasTheContractsFields holds the names that scripts rely on.
func TestJSONHasTheContractsFields(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, WriteJSON(&b, summarized(t, "issue-15220")))
	var got map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	for _, name := range []string{"scenario", "etcd", "cache", "strategy", "seeds", "schedules", "choices", "seconds", "violations", "campaignHash", "properties", "failures"} {
		require.Contains(t, got, name)
	}
	property := got["properties"].(map[string]any)["linearizable-data"].(map[string]any)
	require.Equal(t, "violated", property["verdict"])
	require.Greater(t, property["exercised"], 0.0)
	require.Contains(t, got["failures"].([]any)[0], "seed")
	require.Len(t, got["campaignHash"], 16)
}

func TestJUnit(t *testing.T) {
	bad, good := summarized(t, "issue-15220"), summarized(t, "issue-15220", "etcd=3.5.13")
	bad.Failures[0].Story = []string{"a <story> & more"}
	vacuous := summarized(t, "issue-15220", "readers=0")
	var b bytes.Buffer
	require.NoError(t, WriteJUnit(&b, []*summary.Summary{bad, good, vacuous}))
	var parsed junitSuites
	require.NoError(t, xml.Unmarshal(b.Bytes(), &parsed))
	require.Len(t, parsed.Suites, 3)
	require.Equal(t, 2, parsed.Suites[0].Failures)
	require.Equal(t, "a <story> & more", strings.TrimSpace(parsed.Suites[0].Cases[0].Failure.Text))
	require.Zero(t, parsed.Suites[1].Failures+parsed.Suites[1].Errors)
	require.Equal(t, 2, parsed.Suites[2].Errors, "vacuous is not passed")
}

func TestSummaryText(t *testing.T) {
	var b bytes.Buffer
	s := summarized(t, "issue-15220")
	s.Truncated, s.Interrupted = 3, true
	require.NoError(t, WriteSummary(&b, Terminal{Width: 40, Color: true}, s))
	for _, want := range []string{"violated", "checked", "cut off", "Interrupted", "\x1b["} {
		require.Contains(t, b.String(), want)
	}
	b.Reset()
	require.NoError(t, WriteSummary(&b, Terminal{}, s))
	require.NotContains(t, b.String(), "\x1b[")
}

// TestPagesEscape: histories and recordings come from strangers.
func TestPagesEscape(t *testing.T) {
	const evil = `<script>alert("x")</script>`
	h := &model.History{Clients: []string{evil}, Operations: []model.Operation{{
		Call: 1, Return: 2, Request: &model.Request{Kind: model.Put, Key: evil, Value: evil},
		Outcome: model.Done, Result: &model.Result{Revision: 1},
	}}}
	var b bytes.Buffer
	require.NoError(t, WriteHistoryHTML(&b, evil, h, []linearizability.Judgement{{
		Property: "linearizable", Verdict: model.Violated, Why: &linearizability.Explanation{Sentence: evil},
	}}))
	require.False(t, strings.Contains(b.String(), evil))
	require.True(t, strings.Contains(b.String(), "&lt;script&gt;"))

	sc, rec, f := failing(t, "stale-own-write", "sequential")
	rec.Tool = evil
	b.Reset()
	d, err := diagnosis.Of(sc, rec, f)
	require.NoError(t, err)
	require.NoError(t, WriteRunHTML(&b, d))
	require.False(t, strings.Contains(b.String(), evil))
	require.True(t, strings.Contains(b.String(), `<svg class="chart"`))
	require.False(t, strings.Contains(b.String(), "<script"), "what matters is there without JavaScript; only porcupine's frame has some")
	for _, from := range []string{`src="http`, `href="http`, "url(http", "@import"} {
		require.False(t, strings.Contains(b.String(), from), "the page needs nothing from elsewhere: %s", from)
	}

	require.NotContains(t, drawChart(&story.Run{Trace: &trace.Trace{Nodes: []string{"world", evil}, Steps: []trace.Step{{Node: 1, Name: "run " + evil, Delivered: -1}}}, Wrong: -1, Missed: 0}, nil, func(int) bool { return true }), evil)
}

// TestLongHistoriesAreNotDrawn: porcupine's page would be of gigabytes.
func TestLongHistoriesAreNotDrawn(t *testing.T) {
	h := &model.History{Clients: []string{"a"}}
	for i := range int64(linearizability.MostVisualized + 1) {
		h.Operations = append(h.Operations, model.Operation{Call: 2 * i, Return: 2*i + 1, Request: &model.Request{Kind: model.Put, Key: "k"}, Outcome: model.Done, Result: &model.Result{Revision: i + 1}})
	}
	var b bytes.Buffer
	require.NoError(t, WriteHistoryHTML(&b, "long", h, nil))
	require.Contains(t, b.String(), "timelines are drawn up to")
	assert.NotContains(t, b.String(), "iframe title")
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text          string
		width, indent int
		want          string
	}{
		{"", 40, 2, ""},
		{"one two", 40, 2, "one two"},
		{"aaaaaaaaaa bbbbbbbbbb cccccccccc", 24, 3, "aaaaaaaaaa bbbbbbbbbb\n   cccccccccc"},
		{"averylongwordthatdoesnotfitanywhere x", 10, 0, "averylongwordthatdoesnotfitanywhere\nx"},
	} {
		require.Equal(t, c.want, wrap(c.text, c.width, c.indent))
	}
}

// TestTimelineWaitsToBeSeen: a frame that is not in view cannot measure text, so
// porcupine's script must not run at once. It fails if porcupine's page changes.
func TestTimelineWaitsToBeSeen(t *testing.T) {
	h := &model.History{Clients: []string{"a"}, Operations: []model.Operation{{
		Call: 1, Return: 2, Request: &model.Request{Kind: model.Put, Key: "k"}, Outcome: model.Done, Result: &model.Result{Revision: 1},
	}}}
	page := timelineOf(h, linearizability.Linearizable).Page
	require.Equal(t, 3, strings.Count(page, "render(data)"), "its definition, and two calls")
	for _, call := range []string{"getBBox().width > 0) render(data)", "isIntersecting)) { o.disconnect(); render(data) }"} {
		require.True(t, strings.Contains(page, call), call)
	}
}

// TestChartMarksWhatMatters: the wrong answer and the missed write each have
// their row, and what is left out is counted.
func TestChartMarksWhatMatters(t *testing.T) {
	sc, rec, f := failing(t, "issue-15220", "linearizable-data")
	var b bytes.Buffer
	d, err := diagnosis.Of(sc, rec, f)
	require.NoError(t, err)
	require.NoError(t, WriteRunHTML(&b, d))
	short, whole, found := strings.Cut(b.String(), "<details>")
	require.True(t, found)
	for _, mark := range []string{`<rect class="wrong"`, `<rect class="missed"`} {
		require.Equal(t, 1, strings.Count(short, mark), mark)
		require.Equal(t, 1, strings.Count(whole, mark), mark)
	}
	require.Contains(t, short, "⋮ ")
	require.NotContains(t, whole[:strings.Index(whole, "</details>")], "⋮ ", "the whole run leaves nothing out")
	require.Contains(t, short, "is not in it")
}
