package scenariotest_test

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenariotest"
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
func (t *captured) Error(args ...any) { t.errors = append(t.errors, fmt.Sprint(args...)) }

func TestMustHoldTellsTheStoryAndKeepsTheRun(t *testing.T) {
	t.Chdir(t.TempDir())
	failing := &captured{TB: t}
	scenariotest.MustHold(failing, scenarios.Issue15220, scenarios.Issue15220.Params, 300)
	require.NotEmpty(t, failing.errors)
	for _, stack := range failing.stacks {
		require.NotContains(t, stack, "diagnosis.", "go test names the first line that is not in a helper: it has to be the test's")
	}
	text := failing.errors[0]
	require.True(t, strings.HasPrefix(text, "linearizable-data (missing-write) is violated\n"), text)
	require.Contains(t, text, "sendLoop takes from ctrlStream, while", "the story")
	require.Contains(t, text, "One behaviour of etcd decides: progress=control-queue")
	_, path, found := strings.Cut(text, "\nReplay: simrun replay ")
	require.True(t, found, text)
	require.Equal(t, scenariotest.Failures, filepath.Dir(path))
	rec, err := recording.Open(path)
	require.NoError(t, err)
	require.Equal(t, scenarios.Issue15220.Name, rec.Scenario)
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
