package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/testbed"
)

// detected is the share of schedules in which a strategy shows a violation.
func detected(t *testing.T, sc *testbed.Scenario, property *testbed.Property, s strategy.Strategy) float64 {
	t.Helper()
	schedules := testsize.Of[uint64](2_000, 500)
	subjects, err := sc.Subjects(sc.Params)
	require.NoError(t, err)
	c, err := campaign.Run(t.Context(), subjects, campaign.Config{Strategy: s, Seeds: schedules, Steps: sc.Params.Clock.Steps, RecheckShare: -1})
	require.NoError(t, err)
	for _, p := range c.Properties {
		if p.Name == property.Name {
			t.Logf("%s, %s: %s in %d of %d schedules", sc.Name, s.Name, property.Name, p.Violations, schedules)
			return float64(p.Violations) / float64(schedules)
		}
	}
	t.Fatalf("%s does not claim %s", sc.Name, property.Name)
	return 0
}

// TestBugsShowWithinABoundOnSchedules: from any first seed on, the median is less
// than 100 schedules until #15220 shows as missing data, and less than 10 until
// #17507 shows. The median is ln 2 divided by the share of violated schedules.
func TestBugsShowWithinABoundOnSchedules(t *testing.T) {
	const within100, within10 = 0.0069, 0.067
	for _, s := range []strategy.Strategy{strategy.Random(), strategy.Paced(), strategy.Default()} {
		require.Greater(t, detected(t, Issue15220, reads.LinearizableData, s), within100)
		require.Greater(t, detected(t, Issue15220CatchingUp, reads.LinearizableData, s), within100)
		require.Greater(t, detected(t, Issue17507, reads.AnswersInTime, s), within10)
	}
}

// TestPacedBeatsTheRandomWalk where a read has to wait for progress without a
// timeout in between.
func TestPacedBeatsTheRandomWalk(t *testing.T) {
	for _, sc := range []*testbed.Scenario{Issue15220CatchingUp, Issue15220}[:testsize.Of(2, 1)] {
		random := detected(t, sc, reads.LinearizableData, strategy.Random())
		require.Greater(t, detected(t, sc, reads.LinearizableData, strategy.Paced()), 1.2*random, sc.Name)
	}
}
