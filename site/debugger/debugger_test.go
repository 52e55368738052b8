package debugger_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/testsize"
	_ "github.com/watchbed/watchbed/knownbugs"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/site/debugger"
	"github.com/watchbed/watchbed/testbed"
)

// ask asks a question that has an answer.
func ask[T any](t *testing.T, d *debugger.Debugger, operation string, q debugger.Question) *T {
	t.Helper()
	b, err := json.Marshal(q)
	require.NoError(t, err)
	b, err = d.Call(operation, b)
	require.NoError(t, err)
	var answer T
	require.NoError(t, json.Unmarshal(b, &answer))
	return &answer
}

// linkTo is the link of a recorded run.
func linkTo(rec *recording.Recording) (string, error) {
	made, _ := rec.MadeFor()
	return diagnosis.LinkTo(rec, made)
}

// refused is the error of a question that has none.
func refused(t *testing.T, operation string, q debugger.Question) string {
	t.Helper()
	b, err := json.Marshal(q)
	require.NoError(t, err)
	_, err = new(debugger.Debugger).Call(operation, b)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "\n")
	return err.Error()
}

// issue15220 is a run of the scenario in which a LIST lacks a write, made smaller.
func issue15220(t *testing.T) (*debugger.Debugger, *debugger.View) {
	t.Helper()
	d := &debugger.Debugger{}
	found := ask[debugger.Searched](t, d, "search", debugger.Question{Scenario: "issue-15220", Count: 60})
	i := slices.IndexFunc(found.Claims, func(c debugger.Claim) bool { return c.Property == "linearizable" })
	require.NotZero(t, found.Claims[i].Violated)
	return d, ask[debugger.View](t, d, "shrink", debugger.Question{Link: found.Claims[i].Link})
}

// TestLinksOpenTheSameRun: the link of each story's run has at most 2,000 characters, and opens to the same trace hash.
func TestLinksOpenTheSameRun(t *testing.T) {
	files, err := filepath.Glob("../../report/testdata/stories/*.json")
	require.NoError(t, err)
	require.Greater(t, len(files), 50)
	longest := 0
	for i, file := range files {
		rec, err := recording.Open(file)
		require.NoError(t, err)
		link, err := linkTo(rec)
		require.NoError(t, err, file)
		assert.LessOrEqual(t, len(link), 2000, file)
		longest = max(longest, len(link))
		if i%testsize.Of(1, 5) > 0 {
			continue
		}
		v := ask[debugger.View](t, &debugger.Debugger{}, "open", debugger.Question{Link: "#" + link})
		assert.Equal(t, rec.TraceHash.String(), v.Hash, file)
		assert.Contains(t, v.Title, rec.Violations()[0].Property, file)
	}
	t.Logf("%d links, the longest has %d characters", len(files), longest)
}

// TestLinksThatCannotBeOpened: each says why in one line.
func TestLinksThatCannotBeOpened(t *testing.T) {
	_, v := issue15220(t)
	changed := func(at int) string {
		b := []byte(v.Link)
		if b[at]++; b[at] == 'z'+1 || b[at] == 'Z'+1 || b[at] == '9'+1 || b[at] == '-'+1 || b[at] == '_'+1 {
			b[at] = 'a'
		}
		return string(b)
	}
	for at := len("1."); at < len(v.Link)-1; at++ {
		require.Contains(t, refused(t, "open", debugger.Question{Link: changed(at)}), "cut off, or was changed")
	}
	for _, c := range []struct{ link, want string }{
		{v.Link[:len(v.Link)-8], "cut off"},
		{v.Link[:2], "cut off"},
		{"2." + v.Link[2:], "format 2, which is newer than this program"},
		{"somewhere", `begin with "1."`},
		{"", `begin with "1."`},
		{strings.Repeat("A", 1<<20), "characters"},
	} {
		assert.Contains(t, refused(t, "open", debugger.Question{Link: c.link}), c.want, "%.40s", c.link)
	}
	assert.Contains(t, refused(t, "run", debugger.Question{Scenario: "issue-15221"}), "issue-15220")
}

// TestClaimsAsTheyStood: before the wrong answer arrives nothing is violated.
func TestClaimsAsTheyStood(t *testing.T) {
	d, v := issue15220(t)
	require.Positive(t, v.Wrong)
	for step, want := range map[int]string{v.Wrong - 1: "vacuous", v.Wrong: "violated"} {
		m := ask[debugger.Moment](t, d, "at", debugger.Question{Link: v.Link, Step: step})
		require.Equal(t, "linearizable", m.Verdicts[0].Property)
		assert.Equal(t, want, m.Verdicts[0].Verdict, "behind step %d", step)
	}
	assert.Contains(t, refused(t, "at", debugger.Question{Link: v.Link, Step: len(v.Steps)}), "there is no step")
}

// TestEachStepRunsInALoop: in each scenario of the catalogue each step of etcd, of its client library and of the cache has
// its loop, but for what a fault has them do.
func TestEachStepRunsInALoop(t *testing.T) {
	byFault := map[string]bool{"unclog": true, "disk is back": true, "kept pages expire": true}
	checked := 0
	for i, sc := range testbed.Scenarios() {
		if i%testsize.Of(1, 8) > 0 || sc.Params.Clock.Mode == sim.Timed && i%5 > 0 {
			continue
		}
		v := ask[debugger.View](t, &debugger.Debugger{}, "run", debugger.Question{Scenario: sc.Name, Strategy: "random"})
		for at, s := range v.Steps {
			if s.Lane < 0 || v.Lanes[s.Lane].Tier == "client" || byFault[s.Activity] || s.From >= 0 && v.Messages[s.From].From < 0 {
				continue
			}
			checked++
			assert.NotEmpty(t, v.Lanes[s.Lane].Loops[s.Loop], "%s, step %d, %s: %s", sc.Name, at, v.Lanes[s.Lane].Name, s.Text)
		}
	}
	require.Greater(t, checked, 1000)
}

// TestLoopsOfIssue15220: recvLoop takes the create and the progress request, and sendLoop is woken by what wrote into its
// channels.
func TestLoopsOfIssue15220(t *testing.T) {
	_, v := issue15220(t)
	loopOf := func(at int) string {
		s := &v.Steps[at]
		return v.Lanes[s.Lane].Name + " " + v.Lanes[s.Lane].Loops[s.Loop]
	}
	var got []string
	for at, s := range v.Steps {
		if s.From >= 0 && (strings.HasPrefix(v.Messages[s.From].Label, "create watch") || v.Messages[s.From].Label == "progress request") {
			assert.Equal(t, "etcd recvLoop client.0", loopOf(at))
			got = append(got, v.Messages[s.From].Label)
		}
		if strings.HasPrefix(s.Activity, "sendLoop") {
			assert.Equal(t, "etcd sendLoop client.0", loopOf(at))
			if s.Woke >= 0 {
				got = append(got, s.Activity+" <- "+loopOf(s.Woke))
			}
		}
	}
	assert.Contains(t, got, "progress request")
	assert.Contains(t, got, "sendLoop client.0 takes ctrlStream <- etcd recvLoop client.0")
	assert.Equal(t, "cache GetList reader-1", loopOf(v.Messages[v.Steps[v.Wrong].From].Sent))
}

// TestAnotherCourse: sendLoop takes the event before progress, and the LIST has the write.
func TestAnotherCourse(t *testing.T) {
	d, v := issue15220(t)
	step := slices.IndexFunc(v.Steps, func(s debugger.Step) bool { return strings.Contains(s.Activity, "takes ctrlStream") && len(s.Says) > 0 })
	require.Positive(t, step)
	m := ask[debugger.Moment](t, d, "at", debugger.Question{Link: v.Link, Step: step})
	i := slices.IndexFunc(m.Others, func(o debugger.Other) bool { return strings.Contains(o.Name, "takes watchStream") })
	require.GreaterOrEqual(t, i, 0)
	other := ask[debugger.View](t, d, "take", debugger.Question{Link: v.Link, Choice: m.Others[i].Choice, Name: m.Others[i].Name})
	assert.Empty(t, other.Title)
	assert.NotEqual(t, v.Link, other.Link)
	assert.Contains(t, other.Steps[step].Activity, "takes watchStream")
	for i := range step {
		assert.Equal(t, v.Steps[i].Kind+v.Steps[i].Activity, other.Steps[i].Kind+other.Steps[i].Activity, "until then the runs are the same")
	}
	again := ask[debugger.View](t, &debugger.Debugger{}, "open", debugger.Question{Link: other.Link})
	assert.Equal(t, other, again)
	assert.Contains(t, refused(t, "take", debugger.Question{Link: v.Link, Choice: m.Others[i].Choice, Name: "run etcd dances"}), "cannot happen")
}

// TestTwoRunsBesideEachOther: until sendLoop takes something else the two runs are the same, and each step of both has a
// row, in order.
func TestTwoRunsBesideEachOther(t *testing.T) {
	d, v := issue15220(t)
	step := slices.IndexFunc(v.Steps, func(s debugger.Step) bool { return strings.Contains(s.Activity, "takes ctrlStream") && len(s.Says) > 0 })
	m := ask[debugger.Moment](t, d, "at", debugger.Question{Link: v.Link, Step: step})
	i := slices.IndexFunc(m.Others, func(o debugger.Other) bool { return strings.Contains(o.Name, "takes watchStream") })
	other := ask[debugger.View](t, d, "take", debugger.Question{Link: v.Link, Choice: m.Others[i].Choice, Name: m.Others[i].Name})
	c := ask[debugger.Comparison](t, d, "compare", debugger.Question{Link: v.Link, Other: other.Link})
	assert.Empty(t, c.Options)
	assert.Equal(t, step, c.First)
	var here, there []int
	for _, row := range c.Rows {
		if row.Steps[0] >= 0 {
			here = append(here, row.Steps[0])
		}
		if row.Steps[1] >= 0 {
			there = append(there, row.Steps[1])
		}
		if row.Same {
			a, b := v.Steps[row.Steps[0]], other.Steps[row.Steps[1]]
			assert.Equal(t, a.Kind+a.Activity, b.Kind+b.Activity)
			require.Len(t, b.Says, len(a.Says))
			for i := range a.Says {
				assert.Equal(t, a.Says[i].Text, b.Says[i].Text)
			}
		}
	}
	require.Len(t, here, len(v.Steps))
	require.Len(t, there, len(other.Steps))
	assert.True(t, slices.IsSorted(here) && slices.IsSorted(there))

	flipped := ask[debugger.View](t, d, "flip", debugger.Question{Link: v.Link, Set: []string{"progress=deferred"}})
	d.Brief = true
	c = ask[debugger.Comparison](t, d, "compare", debugger.Question{Link: v.Link, Other: flipped.Link})
	assert.Equal(t, []string{"progress=deferred"}, c.Options)
	assert.Contains(t, strings.Join(c.Rows[0].Texts, " | "), "etcd: ")
	elsewhere := ask[debugger.View](t, d, "run", debugger.Question{Scenario: "consistent-list"})
	b, err := json.Marshal(debugger.Question{Link: v.Link, Other: elsewhere.Link})
	require.NoError(t, err)
	_, err = d.Call("compare", b)
	assert.ErrorContains(t, err, "only runs of one scenario")
}

// TestWhenItWasInevitable: once the cache has taken progress that overtook the event, no schedule has the LIST wait. Before
// sendLoop takes anything some do.
func TestWhenItWasInevitable(t *testing.T) {
	d, v := issue15220(t)
	p := ask[debugger.Inevitable](t, d, "inevitable", debugger.Question{Link: v.Link})
	took := slices.IndexFunc(v.Steps, func(s debugger.Step) bool { return strings.Contains(s.Activity, "takes ctrlStream") && len(s.Says) > 0 })
	require.Less(t, took, v.Wrong)
	assert.GreaterOrEqual(t, p.Step, took, p.Text)
	assert.Less(t, p.Step, v.Wrong, p.Text)
	passing := ask[debugger.View](t, d, "open", debugger.Question{Link: p.Passing})
	assert.Empty(t, passing.Title)
	assert.Empty(t, passing.Changed)
}

// TestAnswersAreToldWithTheirQuestion: in place of the notation of a recording.
func TestAnswersAreToldWithTheirQuestion(t *testing.T) {
	d := &debugger.Debugger{}
	v := ask[debugger.View](t, d, "run", debugger.Question{Scenario: "issue-17507"})
	answers := 0
	for step := range v.Steps[:min(len(v.Steps), 40)] {
		for _, o := range ask[debugger.Moment](t, d, "at", debugger.Question{Link: v.Link, Step: step}).Others {
			if !strings.HasPrefix(o.Name, "choose ") {
				assert.Equal(t, debugger.Other{Choice: o.Choice, Name: o.Name, Text: o.Name, Verdict: o.Verdict}, o)
				continue
			}
			answers++
			rest, value, found := strings.Cut(o.Name, "=")
			require.True(t, found)
			value, options, _ := strings.Cut(value, "/")
			_, rest, _ = strings.Cut(rest, " ")
			node, what, _ := strings.Cut(rest, " ")
			n, err := strconv.Atoi(options)
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprintf("%s of %s, 0 to %d", what, node, n-1), o.Question)
			assert.Equal(t, value, o.Text)
			assert.NotEqual(t, o.Text, o.Taken)
		}
	}
	assert.Positive(t, answers)
}

// TestRunsInWhichSituationsComeAbout: in the runs that are found they do, at the steps that are named and in this order, and
// there are no others with smaller seeds.
func TestRunsInWhichSituationsComeAbout(t *testing.T) {
	const first, second = "etcd: progress overtook events", "etcd: synced watcher notified"
	d := &debugger.Debugger{}
	at := func(v *debugger.View, situation string) int {
		return slices.IndexFunc(v.Steps, func(s debugger.Step) bool { return slices.Contains(s.Reached, situation) })
	}
	counts := map[string]uint64{}
	for name, c := range map[string][]string{"one": {first}, "in order": {second, first}, "the other order": {first, second}} {
		found := ask[debugger.Searched](t, d, "search", debugger.Question{Scenario: "issue-15220", Count: 60, Reaches: c})
		counts[name] = found.Reached
		require.LessOrEqual(t, uint64(len(found.Runs)), found.Reached)
		var seeds []uint64
		for _, r := range found.Runs {
			v := ask[debugger.View](t, d, "open", debugger.Question{Link: r.Link})
			for i, situation := range c {
				assert.Equal(t, at(v, situation), r.Steps[i], "%s, seed %d: %s", name, r.Seed, situation)
			}
			assert.IsNonDecreasing(t, r.Steps)
			seeds = append(seeds, r.Seed)
		}
		for seed := uint64(0); len(seeds) > 0 && seed < seeds[len(seeds)-1]; seed++ {
			v := ask[debugger.View](t, d, "run", debugger.Question{Scenario: "issue-15220", Seed: seed})
			reached := at(v, c[0]) >= 0 && (len(c) == 1 || at(v, c[1]) >= at(v, c[0]))
			assert.Equal(t, slices.Contains(seeds, seed), reached, "%s, seed %d", name, seed)
		}
	}
	assert.Positive(t, counts["one"])
	assert.Positive(t, counts["in order"])
	assert.Contains(t, refused(t, "search", debugger.Question{Scenario: "issue-15220", Count: 1, Reaches: []string{"etcd: dances"}}), "no situation")
	assert.Contains(t, refused(t, "search", debugger.Question{Scenario: "issue-15220", Count: 1, Reaches: []string{first, second, first}}), "two in an order")
	assert.Contains(t, ask[debugger.Catalogue](t, d, "catalogue", debugger.Question{}).Situations, first)
}

// TestLongRuns: a run that is too long for a page has no link, in one sentence, and a run with a high limit of steps is
// gone through if it ends by itself.
func TestLongRuns(t *testing.T) {
	long := debugger.Question{Scenario: "consistent-list", Set: []string{"steps=1000000", "writers=20", "writes=1000"}}
	assert.Contains(t, refused(t, "run", long), "more than 20000 steps")
	sc, err := testbed.FindScenario(long.Scenario)
	require.NoError(t, err)
	p := sc.Params.But(strings.Join(long.Set, " "))
	r, err := sc.Runner(p)
	require.NoError(t, err)
	rec, _ := recording.RecordSeed(r, strategy.Default(), 0)
	rec.Scenario, rec.Parameters = sc.Name, p.Expand()
	_, err = linkTo(rec)
	assert.ErrorContains(t, err, "simrun shrink")
	long.Set = long.Set[:1]
	v := ask[debugger.View](t, &debugger.Debugger{}, "run", long)
	assert.Equal(t, []string{"steps=1000000"}, v.Changed)
	again := ask[debugger.View](t, &debugger.Debugger{}, "open", debugger.Question{Link: v.Link})
	assert.Equal(t, v, again)
}

// TestOtherOptions: with the answers to progress requests deferred (etcd #15220's fix) the same schedule passes, which
// is also what is found to decide.
func TestOtherOptions(t *testing.T) {
	d, v := issue15220(t)
	flipped := ask[debugger.View](t, d, "flip", debugger.Question{Link: v.Link, Set: []string{"progress=deferred"}})
	assert.Empty(t, flipped.Title)
	assert.Equal(t, []string{"progress=deferred"}, flipped.Changed)
	cause := ask[debugger.Cause](t, d, "cause", debugger.Question{Link: v.Link})
	assert.Contains(t, cause.Text, "One behaviour of etcd decides: progress=control-queue")
	passing := ask[debugger.View](t, d, "open", debugger.Question{Link: cause.Passing})
	assert.Empty(t, passing.Title)
	assert.Contains(t, refused(t, "cause", debugger.Question{Link: passing.Link}), "no claim is violated")
	assert.Contains(t, refused(t, "flip", debugger.Question{Link: v.Link, Set: []string{"progress=never"}}), "progress has no value")
}

// TestStateIsThatOfItsStep: the parts that steps change, one after the other, are what the cache held when it answered.
func TestStateIsThatOfItsStep(t *testing.T) {
	_, v := issue15220(t)
	held := map[string][]string{}
	for _, s := range v.Steps[:v.Wrong+1] {
		for _, h := range s.Held {
			held[v.Lanes[v.Parts[h.Part].Lane].Name+" "+v.Parts[h.Part].Name] = h.Entries
		}
	}
	assert.Equal(t, held["etcd revision"], held["cache resourceVersion"], "the cache believes that it is as new as etcd")
	assert.Empty(t, held["cache store"])
	assert.NotEmpty(t, held["etcd watch channel"])
}

func TestQuestionsThatHaveNoAnswer(t *testing.T) {
	assert.Contains(t, refused(t, "dance", debugger.Question{}), "open, ")
	assert.Contains(t, refused(t, "search", debugger.Question{Scenario: "issue-15220", Count: 1_000_000_000}), "it may be 1 to 10000")
	_, err := new(debugger.Debugger).Call("open", []byte(`{"link":"x","colour":1}`))
	assert.ErrorContains(t, err, "colour")
}
