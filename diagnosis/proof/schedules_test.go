package proof_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/testbed"
)

// A schedule is followed for as long as anything can happen, and a run ends with the programs of its clients. The run
// of what comes to light only behind that goes on, too, and so does its replay.
func TestRunOfASearchedScheduleGoesOnToItsEnd(t *testing.T) {
	b, err := testbed.FindBug("issue-20693")
	require.NoError(t, err)
	p := b.Scenario.Params
	require.False(t, p.Clock.ToRest)
	p.Bugs = []string{b.Name}
	found, runs, err := proof.SearchSchedules(t.Context(), b.Scenario, p, schedules.Config{TimerBound: 2}, "test")
	require.NoError(t, err)
	require.NotEmpty(t, found.Failures)
	require.Equal(t, "reliable", found.Failures[0].Property)
	require.True(t, found.Failures[0].ToRest)
	again, err := b.Scenario.Recorded(runs[0].Parameters)
	require.NoError(t, err)
	require.True(t, again.Params().Clock.ToRest)
	result, err := recording.Replay(explore.NewRunner(again, again.Params().Clock.Steps), runs[0])
	require.NoError(t, err)
	require.NotNil(t, result.Find(explore.Failure{Property: "reliable", Label: "watch"}))
}

// Where etcd sends progress by itself a run ends with the programs of its clients, whatever is asked for.
func TestRunThatCannotGoOnIsRefused(t *testing.T) {
	b, err := testbed.FindBug("issue-20693")
	require.NoError(t, err)
	p := b.Scenario.Params
	p.Bugs = []string{b.Name}
	require.NoError(t, p.Set("notify", "1s"))
	_, _, err = proof.SearchSchedules(t.Context(), b.Scenario, p, schedules.Config{TimerBound: 2}, "test")
	require.EqualError(t, err, "schedules violate reliable (watch) only when the programs of the clients are over, and a run in which etcd sends progress by itself ends with them: set notify=0, and it goes on")
}
