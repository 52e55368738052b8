package explore_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// worker is a subject with a number of loops that run once each, then a timer that
// lets them run again, without end.
type worker struct {
	toys.Idle
	loops  sim.Task
	rested bool
	// order has a task for each step, -1 for the timer.
	order    []sim.Task
	findings []explore.Finding
	after    int
}

func (s *worker) Build(w *sim.World) {
	s.order, s.after = s.order[:0], 0
	w.Add("n", s)
}

func (s *worker) Start(env *sim.Env) {
	env.Arm(0, time.Second)
	for t := range s.loops {
		env.Enable(t)
	}
}

func (s *worker) Run(_ *sim.Env, t sim.Task) { s.order = append(s.order, t) }

func (s *worker) Fire(env *sim.Env, _ sim.Timer) {
	s.order = append(s.order, -1)
	s.Start(env)
}

func (s *worker) BeginsAtRest() bool                 { return s.rested }
func (s *worker) After(*sim.World, sim.Action)       { s.after++ }
func (s *worker) Judge(*sim.World) []explore.Finding { return s.findings }

// last picks the last enabled action; after limit picks, if it is not 0, it cuts
// the run off.
type last struct{ picks, limit int }

func (c *last) Pick(_ *sim.World, enabled []sim.Action) int {
	if c.picks++; c.limit > 0 && c.picks > c.limit {
		return -1
	}
	return len(enabled) - 1
}

func (c *last) Choose(*sim.World, int, string) int { return 0 }

// byDefault takes the default choice everywhere.
type byDefault struct{}

func (byDefault) Pick(_ *sim.World, enabled []sim.Action) int { return explore.DefaultChoice(enabled) }
func (byDefault) Choose(*sim.World, int, string) int          { return 0 }

func TestDefaultChoiceIsTheOldestActionAndTimersComeLate(t *testing.T) {
	s := &worker{loops: 3}
	explore.NewRunner(s, 8).Run(byDefault{})
	require.Equal(t, []sim.Task{0, 1, 2, -1, 0, 1, 2, -1}, s.order)
	require.Equal(t, 3, explore.DefaultChoice([]sim.Action{
		{Kind: sim.Inject, Since: 1}, {Kind: sim.Deliver, Since: 10}, {Kind: sim.Fire, Since: 2}, {Kind: sim.Run, Since: 9},
	}), "the oldest of what is neither a timer nor a fault")
	require.Equal(t, 1, explore.DefaultChoice([]sim.Action{{Kind: sim.Inject, Since: 1}, {Kind: sim.Fire, Since: 2}}))
}

func TestARunIsCutOffAtItsLimit(t *testing.T) {
	s := &worker{loops: 2}
	r := explore.NewRunner(s, 10)
	for _, c := range []struct {
		what string
		run  func() explore.Result
		want int
	}{
		{"by the runner's limit", func() explore.Result { return r.Run(&last{}) }, 10},
		{"by the caller's limit", func() explore.Result { return r.RunUpTo(&last{}, 4) }, 4},
		{"by the chooser", func() explore.Result { return r.Run(&last{limit: 3}) }, 3},
	} {
		res := c.run()
		require.True(t, res.Truncated, c.what)
		require.Equal(t, c.want, res.Steps, c.what)
		require.Equal(t, c.want, s.after, "After sees each step")
	}
}

func TestStepsBeforeTheFirstPickDoNotCount(t *testing.T) {
	s := &worker{loops: 3, rested: true}
	res := explore.NewRunner(s, 0).RunUpTo(&last{}, 1)
	require.Equal(t, []sim.Task{0, 1, 2, -1}, s.order, "three loops before the run begins, and one picked step")
	require.Equal(t, 4, res.Steps)
}

func TestAPropertyHoldsOnlyIfItWasCheckedInAWholeRun(t *testing.T) {
	s := &worker{loops: 1, findings: []explore.Finding{
		{Property: "checked", Verdict: model.Holds, Exercised: 1},
		{Property: "never checked", Verdict: model.Holds},
		{Property: "broken", Verdict: model.Violated, Label: "cause"},
	}}
	verdicts := func(res explore.Result) (list []model.Verdict) {
		for _, f := range res.Findings {
			list = append(list, f.Verdict)
		}
		return list
	}
	r := explore.NewRunner(s, 5)
	cutOff := r.Run(byDefault{})
	require.Equal(t, []model.Verdict{model.VerdictUnknown, model.Vacuous, model.Violated}, verdicts(cutOff))
	require.Equal(t, "broken (cause)", cutOff.Find(explore.Failure{Property: "broken", Label: "cause"}).Failure().String())
	require.Nil(t, cutOff.Find(explore.Failure{Property: "broken", Label: "another cause"}))
	require.Nil(t, cutOff.Find(explore.Failure{Property: "checked"}))

	whole := explore.NewRunner(&ends{s}, 0).Run(byDefault{})
	require.Equal(t, []model.Verdict{model.Holds, model.Vacuous, model.Violated}, verdicts(whole))
}

// TestAMiscountIsAFaultOfTheJudge: no verdict of such a judge can be trusted.
func TestAMiscountIsAFaultOfTheJudge(t *testing.T) {
	for _, f := range []explore.Finding{
		{Property: "negative", Verdict: model.Holds, Exercised: -1},
		{Property: "checked and vacuous", Verdict: model.Vacuous, Exercised: 1},
	} {
		r := explore.NewRunner(&worker{loops: 1, findings: []explore.Finding{f}}, 5)
		require.PanicsWithValue(t, fmt.Sprintf("explore: the judge of %s says %v, and that it was checked %d times", f.Property, f.Verdict, f.Exercised),
			func() { r.Run(byDefault{}) })
	}
}

// ends is over after three steps.
type ends struct{ *worker }

func (e *ends) Over(w *sim.World) bool { return w.Steps() == 3 }

func TestHashIsWrittenAs16HexadecimalDigits(t *testing.T) {
	b, err := json.Marshal(explore.Hash(0xabc))
	require.NoError(t, err)
	require.Equal(t, `"0000000000000abc"`, string(b))
	var h explore.Hash
	require.NoError(t, json.Unmarshal(b, &h))
	require.Equal(t, explore.Hash(0xabc), h)
	for _, bad := range []string{`"abc"`, `"000000000000000g"`, `"00000000000000abc"`, `""`} {
		require.Error(t, json.Unmarshal([]byte(bad), &h), bad)
	}
}
