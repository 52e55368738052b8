package turningpoint_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/turningpoint"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	_ "github.com/watchbed/watchbed/internal/testsize"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// TestTheNearestScheduleThatPassesPasses: the point of a run lies in it, a run that
// takes the other course passes, and the violation is inevitable before it shows.
func TestTheNearestScheduleThatPassesPasses(t *testing.T) {
	for _, c := range []struct {
		recording, property string
		// once: it differs in one choice.
		once bool
	}{
		{"issue-15220", "linearizable-data", true},
		{"bug-issue-20221-events", "resumable", false},
	} {
		rec, err := recording.Open(filepath.Join("..", "..", "report", "testdata", "stories", c.recording+".json"))
		require.NoError(t, err)
		sc, err := testbed.FindScenario(rec.Scenario)
		require.NoError(t, err)
		system, err := sc.Recorded(rec.Parameters)
		require.NoError(t, err)
		runner := explore.NewRunner(system, system.Params().Clock.Steps)
		p, err := turningpoint.Find(runner, rec, c.property, turningpoint.Budget)
		require.NoError(t, err)
		require.Positive(t, p.Inevitable, c.recording)
		require.NotNil(t, p.Nearest, c.recording)
		require.Equal(t, c.once, p.Other != "", c.recording)
		require.Less(t, p.Before, p.Tried)
		require.LessOrEqual(t, p.Nearest.Step, p.Inevitable)
		b, err := p.Passing(runner, rec)
		require.NoError(t, err)
		result := runner.Run(b)
		for _, f := range result.Findings {
			if f.Property == c.property {
				require.Equal(t, model.Holds, f.Verdict)
			}
		}
	}
}
