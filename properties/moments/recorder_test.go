package moments_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	_ "github.com/watchbed/watchbed/internal/fewcollections"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// comparison holds a recorder that follows nodes against one that looks at all of them
// after each step.
type comparison struct {
	moments.Polling
	t         *testing.T
	system    *testbed.System
	following *moments.Recorder
	// calls is how many were compared in all runs.
	calls *int
}

// Finding implements testbed.Judge.
func (c *comparison) Finding(*sim.World) explore.Finding {
	for i := range c.system.Clients() {
		require.Equal(c.t, c.Operations(i), c.following.Operations(i))
		*c.calls += len(c.Operations(i))
	}
	for i := range len(c.system.Watchers()) + len(c.system.ListWatchers()) + len(c.system.DrawnWatchers()) {
		require.Equal(c.t, c.Watches(i), c.following.Watches(i))
		*c.calls += len(c.Watches(i))
	}
	for i := range c.system.Streams() {
		require.Equal(c.t, c.Stream(i), c.following.Stream(i))
		*c.calls += len(c.Stream(i).Responses)
	}
	return explore.Finding{Verdict: model.Holds, Exercised: 1}
}

// What the recorder does not look at has not changed.
func TestFollowingRecordsWhatPollingRecords(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			polled := *sc
			polled.Claims = []*testbed.Property{{
				Name: "compared",
				New: func(s *testbed.System) testbed.Judge {
					return &comparison{moments.PollingOf(s), t, s, moments.Of(s), &calls}
				},
			}}
			s, err := polled.New(sc.Params)
			require.NoError(t, err)
			runner := explore.NewRunner(s, sc.Params.Clock.Steps)
			chooser := strategy.Default().For(runner)
			for seed := range uint64(10) {
				chooser.Begin(seed)
				runner.Run(chooser)
			}
			p := &sc.Params.Workload
			if p.Writers+p.Readers+p.Watchers+p.Streams > 0 {
				require.Positive(t, calls)
			}
		})
	}
}

// A client may ask when it starts. Shrinking cuts runs off before the first step.
func TestARunWithoutAStepIsJudged(t *testing.T) {
	calls := 0
	for _, sc := range testbed.Scenarios() {
		s, err := sc.New(sc.Params)
		require.NoError(t, err)
		chooser := strategy.Default().For(explore.NewRunner(s, sc.Params.Clock.Steps))
		chooser.Begin(1)
		require.NotPanics(t, func() { explore.NewRunner(s, sc.Params.Clock.Steps).RunUpTo(chooser, 0) }, sc.Name)
		for i := range s.ListWatchers() {
			calls += len(s.ListWatchers()[i].Streams())
		}
	}
	require.NotZero(t, calls, "no client has asked")
}
