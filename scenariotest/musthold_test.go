package scenariotest_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/property"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenariotest"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// captured is a test whose failures are kept, and do not fail the real test.
type captured struct {
	testing.TB
	errors []string
	// stacks are the calls that report them.
	stacks []string
}

func (t *captured) Helper() {}
func (t *captured) Errorf(format string, args ...any) {
	t.stacks = append(t.stacks, string(debug.Stack()))
	t.errors = append(t.errors, fmt.Sprintf(format, args...))
}
func (t *captured) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}
func (t *captured) Fatal(args ...any) { t.Error(args...); runtime.Goexit() }
func (t *captured) Error(args ...any) { t.errors = append(t.errors, fmt.Sprint(args...)) }

// step is a line of a story.
const step = `\n *[0-9]+  etcd +\S`

func TestMustHoldTellsTheStoryAndKeepsTheRun(t *testing.T) {
	t.Chdir(t.TempDir())
	failing := &captured{TB: t}
	scenariotest.MustHold(failing, scenarios.Issue15220, scenarios.Issue15220.Params, 300)
	require.NotEmpty(t, failing.errors)
	for _, stack := range failing.stacks {
		require.NotContains(t, stack, "diagnosis.", "go test names the first line that is not in a helper: it has to be the test's")
	}
	text := failing.errors[0]
	require.True(t, strings.HasPrefix(text, "linearizable-data (missing-write) is violated in "), text)
	require.Regexp(t, step, text, "the story")
	require.Contains(t, text, "One behaviour of etcd decides: progress=control-queue")
	require.Equal(t, scenarios.Issue15220.Name, replayed(t, text).Scenario)
	require.Contains(t, text, "\nAlso linearizable (missing-write) in ")
}

// replayed is the recording that a failure names, which runs again to the bit.
func replayed(t *testing.T, text string) *recording.Recording {
	t.Helper()
	_, path, found := strings.Cut(text, "\nReplay: simrun replay ")
	require.True(t, found, text)
	path, _, _ = strings.Cut(path, "\n")
	require.Equal(t, scenariotest.Failures, filepath.Dir(path))
	rec, err := recording.Open(path)
	require.NoError(t, err)
	sc, err := testbed.FindScenario(rec.Scenario)
	require.NoError(t, err)
	p, err := sc.RecordedParams(rec.Parameters)
	require.NoError(t, err)
	system, err := sc.New(p)
	require.NoError(t, err)
	again, err := recording.Replay(explore.NewRunner(system, p.Clock.Steps), rec)
	require.NoError(t, err)
	require.Equal(t, rec.TraceHash, again.TraceHash)
	return rec
}

// lines is how many lines a test prints.
func (t *captured) lines() int {
	n := 0
	for _, text := range t.errors {
		n += 1 + strings.Count(strings.TrimSuffix(text, "\n"), "\n")
	}
	return n
}

// TestAFailureIsShort: stories of dozens of steps, many ways to fail, and claims that were
// not checked.
func TestAFailureIsShort(t *testing.T) {
	folded := 0
	for _, c := range []struct {
		scenario string
		settings string
		seeds    uint64
	}{
		{"informer-time-travel", "", 60},
		{"crash-in-compaction", "etcd=3.5.7", 300},
		{"lost-event", "", 20},
		{"any-requests", "etcd=3.5.7", 40},
	}[:testsize.Of(4, 2)] {
		t.Run(c.scenario, func(t *testing.T) {
			t.Chdir(t.TempDir())
			sc, err := testbed.FindScenario(c.scenario)
			require.NoError(t, err)
			p := sc.Params
			for _, text := range strings.Fields(c.settings) {
				set := option.Settings(text)[0]
				require.NoError(t, p.Set(set.Name, set.Value))
			}
			failing := &captured{TB: t}
			scenariotest.MustHold(failing, sc, p, c.seeds)
			require.NotEmpty(t, failing.errors)
			text := failing.errors[len(failing.errors)-1]
			require.LessOrEqual(t, failing.lines(), property.MaxLines, strings.Join(failing.errors, "\n"))
			require.Contains(t, text, " is violated in ")
			replayed(t, text)
			if strings.Contains(text, " left out\n") {
				folded++
			}
			t.Logf("%d lines", failing.lines())
		})
	}
	require.True(t, folded > 0 || !testsize.Full(), "no story was too long")
}

// TestChecksOfAnySubjectTellStoriesOfScenarios: property.MustHold and property.Check know
// nothing but the subject.
func TestChecksOfAnySubjectTellStoriesOfScenarios(t *testing.T) {
	t.Chdir(t.TempDir())
	subjects, err := scenarios.Issue15220.Subjects(scenarios.Issue15220.Params)
	require.NoError(t, err)
	failing := &captured{TB: t}
	property.MustHold(failing, subjects, 300)
	require.Regexp(t, step, failing.errors[0])
	require.LessOrEqual(t, failing.lines(), property.MaxLines)
	replayed(t, failing.errors[0])

	if !testsize.Full() {
		return // rapid shrinks for a second
	}
	require.NoError(t, flag.Set("rapid.shrinktime", "1s"))
	failing = &captured{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		scenariotest.Check(failing, scenarios.Issue15220, scenarios.Issue15220.Params, 400)
	}()
	<-done
	require.Len(t, failing.errors, 1)
	require.Contains(t, failing.errors[0], "the progress request of client is answered by recvLoop itself")
	require.Contains(t, failing.errors[0], "\nor property.Replay(t, newSubject, ")
	require.LessOrEqual(t, failing.lines(), property.MaxLines)
	replayed(t, failing.errors[0])
}

// TestMustHoldReplay: a replay file is a regression test. It fails as long as the bug is there, and where what was
// violated is not checked.
func TestMustHoldReplay(t *testing.T) {
	t.Chdir(t.TempDir())
	failing := &captured{TB: t}
	scenariotest.MustHold(failing, scenarios.Issue15220, scenarios.Issue15220.Params, 100)
	_, path, found := strings.Cut(failing.errors[0], "\nor in a test: scenariotest.MustHoldReplay(t, \"")
	require.True(t, found, failing.errors[0])
	path, _, _ = strings.Cut(path, "\")\n")

	again := &captured{TB: t}
	scenariotest.MustHoldReplay(again, path)
	require.Len(t, again.errors, 2, "linearizable is violated, too")
	require.Contains(t, strings.Join(again.errors, "\n"), "linearizable-data (missing-write) is violated\n\nissue-15220 on etcd 3.5.7 ")
	require.Regexp(t, step, again.errors[0], "the story")

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	with := func(name, was, is string) string {
		changed := strings.Replace(string(text), fmt.Sprintf("%q,\n   \"value\": %q", name, was), fmt.Sprintf("%q,\n   \"value\": %q", name, is), 1)
		require.True(t, changed != string(text), name)
		require.NoError(t, os.WriteFile("changed.json", []byte(changed), 0o644))
		return "changed.json"
	}
	scenariotest.MustHoldReplay(t, with("progress", "control-queue", "deferred"))
	vacuous := &captured{TB: t}
	scenariotest.MustHoldReplay(vacuous, with("reads", "3", "0"))
	require.Regexp(t, `changed.json: linearizable-data is not checked any more in a run that follows \d+ of \d+ recorded choices: record it anew`, strings.Join(vacuous.errors, "\n"))
}

func TestMustHoldPassesWhatHolds(t *testing.T) {
	t.Chdir(t.TempDir())
	p := scenarios.Issue15220.Params
	p.Etcd = "3.5.13"
	require.EqualValues(t, 200, scenariotest.MustHold(t, scenarios.Issue15220, p, 200).Schedules)
	require.NoDirExists(t, scenariotest.Failures)
}

func TestMustHoldFailsIfNothingWasChecked(t *testing.T) {
	t.Chdir(t.TempDir())
	p := scenarios.Issue15220.Params
	require.NoError(t, p.Set("readers", "0"))
	vacuous := &captured{TB: t}
	scenariotest.MustHold(vacuous, scenarios.Issue15220, p, 20)
	require.Contains(t, strings.Join(vacuous.errors, "\n"), "linearizable-data: vacuous")
}
