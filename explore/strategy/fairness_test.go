package strategy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/strategy"
	_ "github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// restless is a subject with forty steps of work, a periodic timer, and on request
// a loop that never ends.
type restless struct {
	toys.Idle
	loops bool
	done  int
}

func (s *restless) Build(w *sim.World) {
	s.done = 0
	w.Add("n", s)
}

func (s *restless) Start(env *sim.Env) {
	env.Arm(0, time.Second)
	env.Enable(0)
	if s.loops {
		env.Enable(1)
	}
}

func (s *restless) Fire(env *sim.Env, t sim.Timer) { env.Arm(t, time.Second) }

func (s *restless) Run(env *sim.Env, t sim.Task) {
	if t == 0 {
		s.done++
	}
	env.Enable(t)
}

func (s *restless) Over(*sim.World) bool { return s.done >= 40 }

func (s *restless) Judge(*sim.World) []explore.Finding {
	return []explore.Finding{{Property: "done", Verdict: model.Holds, Exercised: s.done}}
}

// A run that does not end gives no verdict, so no strategy may starve a loop for
// good.
func TestRunsOfAllStrategiesEnd(t *testing.T) {
	for _, s := range strategy.All() {
		r := explore.NewRunner(&restless{loops: true}, 5000)
		c := s.For(r)
		for seed := range uint64(1000) {
			c.Begin(seed)
			require.False(t, r.Run(c).Truncated, "%s, seed %d", s.Name, seed)
		}
	}
}

// TestRunsEndAfterATrialRunThatWasCutOff: the length of a trial run that some slot was
// starved in is no reason to starve it for as long again.
func TestRunsEndAfterATrialRunThatWasCutOff(t *testing.T) {
	const limit = 5000
	for _, s := range strategy.All() {
		r := explore.NewRunner(&restless{loops: true}, limit)
		c := s.New(strategy.Profile{Steps: limit, Picks: limit, Limit: limit})
		for seed := range uint64(1000) {
			c.Begin(seed)
			require.False(t, r.Run(c).Truncated, "%s, seed %d", s.Name, seed)
		}
	}
}

// A run of restless without its loop needs 40 steps of work. If a periodic timer
// of high priority were the only event until patience ends, it would take far
// longer.
func TestTimersDoNotStarveTheRest(t *testing.T) {
	s, err := strategy.Find("pct3")
	require.NoError(t, err)
	const seeds = 1000
	r := explore.NewRunner(&restless{}, 0)
	c := s.For(r)
	picks := 0
	for seed := range uint64(seeds) {
		c.Begin(seed)
		picks += int(r.Run(c).Stats.Picks)
	}
	require.Less(t, float64(picks)/seeds, 160.0)
}
