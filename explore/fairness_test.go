package explore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// restless is a subject with forty steps of work, a loop that never has enough
// and a periodic timer.
type restless struct {
	quiet
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

// Nobody starves for good: a run that does not end is no verdict.
func TestRunsOfAllStrategiesEnd(t *testing.T) {
	for _, s := range explore.Strategies() {
		c := explored(t, func() explore.Subject { return &restless{loops: true} },
			explore.Config{Strategy: s, Seeds: 1000, Steps: 5000})
		require.Zero(t, c.Truncated, s.Name)
		require.Equal(t, model.Holds, c.Verdict(), s.Name)
	}
}

// A periodic timer of high priority must not be all that happens until patience
// ends.
func TestTimersDoNotStarveTheRest(t *testing.T) {
	for _, s := range []explore.Strategy{explore.PCT(3), explore.DelayBounded(5)} {
		c := explored(t, func() explore.Subject { return &restless{} }, explore.Config{Strategy: s, Seeds: 1000})
		require.Less(t, float64(c.Stats.Picks)/float64(c.Schedules), 160.0, s.Name)
	}
}
