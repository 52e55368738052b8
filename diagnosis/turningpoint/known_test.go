package turningpoint_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/turningpoint"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// draws is a subject that draws a number in each of its steps, and nothing else. The
// numbers decide, so the step that settles a run is known.
type draws struct {
	options int
	fails   func(drawn []int) bool
	drawn   []int
	found   [1]explore.Finding
}

const drawSteps = 10

func (d *draws) Start(env *sim.Env)             { env.Enable(0) }
func (d *draws) Receive(*sim.Env, *sim.Message) {}
func (d *draws) Fire(*sim.Env, sim.Timer)       {}
func (d *draws) TaskName(sim.Task) string       { return "draw" }
func (d *draws) TimerName(sim.Timer) string     { return "" }
func (d *draws) Run(env *sim.Env, _ sim.Task) {
	d.drawn = append(d.drawn, env.Choose(d.options, "number"))
	if len(d.drawn) < drawSteps {
		env.Enable(0)
	}
}

func (d *draws) Build(w *sim.World) {
	d.drawn = d.drawn[:0]
	w.Add("draws", d)
}
func (d *draws) Options() sim.Options         { return sim.Options{} }
func (d *draws) After(*sim.World, sim.Action) {}
func (d *draws) Over(*sim.World) bool         { return false }
func (d *draws) Judge(*sim.World) []explore.Finding {
	d.found[0] = explore.Finding{Property: "safe", Verdict: model.Holds, Exercised: 1}
	if len(d.drawn) == drawSteps && d.fails(d.drawn) {
		d.found[0].Verdict, d.found[0].Label = model.Violated, "bad numbers"
	}
	return d.found[:]
}

// point is the turning point of the first run that fails and draws what is wanted.
func point(t *testing.T, d *draws, wanted func(drawn []int) bool) *turningpoint.Point {
	t.Helper()
	r := explore.NewRunner(d, 0)
	for seed := range uint64(10_000) {
		rec, result := recording.RecordSeed(r, strategy.Random(), seed)
		if result.Findings[0].Verdict == model.Violated && wanted(d.drawn) {
			p, err := turningpoint.Find(r, rec, "safe", turningpoint.Budget)
			require.NoError(t, err)
			return p
		}
	}
	t.Fatal("no seed draws what is wanted")
	return nil
}

// TestTheStepThatSettlesTheRunIsFound: the seventh number decides, if it is 0. If not,
// 70 % of the runs fail nevertheless, by their last number.
func TestTheStepThatSettlesTheRunIsFound(t *testing.T) {
	p := point(t, &draws{options: 10, fails: func(drawn []int) bool { return drawn[6] == 0 || drawn[9] < 7 }},
		func(drawn []int) bool { return drawn[6] == 0 && drawn[9] >= 7 })
	require.Equal(t, 7, p.Inevitable)
	require.Equal(t, 200, p.Tried)
	// 10 % fail by the seventh number, and 70 % of the others by the last one: 146 of
	// 200 are expected, with a standard deviation of 6.3.
	require.InDelta(t, 146, p.Before, 20)
	require.InDelta(t, 146, p.FromStart, 20)
	require.NotNil(t, p.Nearest)
	require.Equal(t, 7, p.Nearest.Step)
	require.Contains(t, p.Sentences(func(step int) string { return fmt.Sprint("step ", step) }), "After step 7 all of 200 random continuations of the run fail (with 95 % confidence at most 1.5 % pass); one choice earlier ")
}

// TestTheStepAtWhichMostRunsBeginToFailIsFound: an even third number makes 99 % of the
// runs fail by their last number, an odd one 10 %.
func TestTheStepAtWhichMostRunsBeginToFailIsFound(t *testing.T) {
	p := point(t, &draws{options: 100, fails: func(drawn []int) bool { return drawn[9] < 99-89*(drawn[2]%2) }},
		func(drawn []int) bool { return drawn[2]%2 == 0 })
	require.Equal(t, 10, p.Inevitable)
	require.InDelta(t, 198, p.Before, 6)
	require.NotNil(t, p.Steepest)
	require.Equal(t, 3, p.Steepest.Step)
	require.InDelta(t, 109, p.Steepest.Before, 25)
	require.InDelta(t, 198, p.Steepest.After, 6)
}

// TestContinuationsThatRarelyPassAreFound: 29 of 30 continuations fail wherever they
// leave the run, and only the last number decides. Each of 16 would fail at more than
// half of the steps.
func TestContinuationsThatRarelyPassAreFound(t *testing.T) {
	p := point(t, &draws{options: 30, fails: func(drawn []int) bool { return drawn[9] != 29 }},
		func([]int) bool { return true })
	require.Equal(t, 10, p.Inevitable)
	require.InDelta(t, 193, p.Before, 8)
}

// TestRunsThatAlwaysFailAreSettledFromTheStart: no number matters.
func TestRunsThatAlwaysFailAreSettledFromTheStart(t *testing.T) {
	p := point(t, &draws{options: 2, fails: func([]int) bool { return true }}, func([]int) bool { return true })
	require.Zero(t, p.Inevitable)
	require.Nil(t, p.Nearest)
	require.Equal(t, "From the start on all of 200 random schedules fail (with 95 % confidence at most 1.5 % pass). No schedule was found that passes.", p.Sentences(func(step int) string { return fmt.Sprint("step ", step) }))
}

// TestAContinuationThatPassesLateInTheRunCounts: half of the runs pass that draw a 17 as
// their sixth number, and no others. So nearly all continuations fail that leave the
// run before that number, and half of those that leave it later pass.
func TestAContinuationThatPassesLateInTheRunCounts(t *testing.T) {
	p := point(t, &draws{options: 1000, fails: func(drawn []int) bool { return drawn[5] != 17 || drawn[9] < 500 }},
		func(drawn []int) bool { return drawn[5] == 17 })
	require.Equal(t, 10, p.Inevitable)
	require.InDelta(t, 100, p.Before, 30)
	require.InDelta(t, 200, p.FromStart, 3)
}
