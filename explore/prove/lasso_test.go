package prove_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// lamp waits until it is lit. Its timer tries again and again; the try succeeds unless the
// lamp is wet. Its loop dries it, if there is one, and its deadline gives up.
type lamp struct {
	sim.Idle
	wet, dries, deadline bool
	lit, gaveUp          bool
	// tries are counted modulo so many, so that a loop has that many states.
	modulo, tries int
}

const (
	lampTry sim.Timer = iota
	lampDeadline
)

func (l *lamp) Start(env *sim.Env) {
	env.Arm(lampTry, time.Second)
	if l.deadline {
		env.Arm(lampDeadline, time.Hour)
	}
	if l.dries {
		env.Enable(0)
	}
}

func (l *lamp) Run(*sim.Env, sim.Task)   { l.wet = false }
func (l *lamp) TaskName(sim.Task) string { return "dry" }

func (l *lamp) TimerName(t sim.Timer) string {
	if t == lampTry {
		return "try"
	}
	return "give up"
}

func (l *lamp) IsDeadline(t sim.Timer) bool { return t == lampDeadline }

func (l *lamp) Fire(env *sim.Env, t sim.Timer) {
	switch {
	case t == lampDeadline:
		l.gaveUp = true
		env.Disarm(lampTry)
	case l.wet:
		l.tries = (l.tries + 1) % l.modulo
		env.Arm(lampTry, time.Second)
	default:
		l.lit = true
		env.Disarm(lampDeadline)
	}
}

func (l *lamp) Clone() sim.Node {
	c := *l
	return &c
}

func (l *lamp) Fingerprint(d sim.Digest) sim.Digest {
	return d.Bool(l.wet).Bool(l.lit).Bool(l.gaveUp).Int(int64(l.tries))
}

// room is a subject with one lamp, which must be lit or given up.
type room struct {
	toys.Proved
	plan lamp
	now  *lamp
}

func (s *room) Build(w *sim.World) {
	l := s.plan
	w.Add("lamp", &l)
	s.Adopt(w)
}

func (s *room) Adopt(w *sim.World)       { s.now = w.Node(1).(*lamp) }
func (s *room) Liveness() prove.Liveness { return s }
func (s *room) Failure() explore.Failure { return explore.Failure{Property: "lit", Label: "never"} }

func (s *room) Open() uint64 {
	if s.now.lit || s.now.gaveUp {
		return 0
	}
	return 1
}

func (s *room) Judge(*sim.World) []explore.Finding {
	return []explore.Finding{{Property: "lit", Verdict: model.Holds}}
}
func (s *room) JudgeStep(w *sim.World, _ sim.Action) []explore.Finding { return s.Judge(w) }

func searchRoom(t *testing.T, l lamp) *prove.Result {
	r, err := prove.Search(context.Background(), func() prove.Subject { return &room{plan: l} }, []string{"lit"}, prove.Config{})
	require.NoError(t, err)
	return r
}

func TestWhatNeverComesIsALasso(t *testing.T) {
	r := searchRoom(t, lamp{wet: true, modulo: 3})
	require.Equal(t, prove.Violated, r.Verdict)
	require.Len(t, r.Failures, 1)
	require.Equal(t, "lit", r.Failures[0].Property)
	// The lamp is in the same state after three tries.
	require.Equal(t, 3, r.Failures[0].Loop)
	require.Equal(t, 3, r.Failures[0].Path.Len())
}

func TestAFairScheduleMustComeToIt(t *testing.T) {
	// A schedule that tries for ever and never dries the lamp is not fair.
	r := searchRoom(t, lamp{wet: true, dries: true, modulo: 3})
	require.Equal(t, prove.Proved, r.Verdict)
	require.Positive(t, r.Checked["lit"])
}

// A lamp that counts its tries comes to a new state with each.
func TestStatesWithoutEndAreRefused(t *testing.T) {
	r := searchRoom(t, lamp{wet: true, modulo: 1 << 40})
	require.Equal(t, prove.Unknown, r.Verdict)
	require.Contains(t, r.Why, "the bounds leave states without end: ")
	require.Contains(t, r.Why, "of lamp has fired at rest again and again, each time in a new state; --depth N ends")
	require.False(t, r.GoesOn)
	require.Less(t, r.Depth, 1000)
	require.Equal(t, 199, searchRoom(t, lamp{wet: true, modulo: 199}).Failures[0].Loop)

	r, err := prove.Search(context.Background(), func() prove.Subject { return &room{plan: lamp{wet: true, modulo: 1 << 40}} }, []string{"lit"},
		prove.Config{Bounds: prove.Bounds{Depth: 1000}})
	require.NoError(t, err)
	require.Contains(t, r.Why, "schedules of more than 1000 steps")
}

func TestGivingUpIsNoWayOut(t *testing.T) {
	r := searchRoom(t, lamp{wet: true, deadline: true, modulo: 2})
	require.Equal(t, prove.Violated, r.Verdict)
	require.Equal(t, 2, r.Failures[0].Loop)
}
