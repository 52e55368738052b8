package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

func TestClockFollowsARealOne(t *testing.T) {
	var fired []sim.Time
	p := &probe{
		start: func(env *sim.Env) { env.Arm(0, 5*time.Second) },
		fire:  func(env *sim.Env, _ sim.Timer) { fired = append(fired, env.Now()) },
	}
	w := sim.NewWorld(sim.Options{Mode: sim.Timed})
	n := w.Add("node", p)
	c := &script{}
	w.Start(c)

	at := func(d time.Duration) sim.Time { return sim.Time(d) }
	enabled := w.Enabled()
	require.Len(t, enabled, 1)
	require.Equal(t, at(5*time.Second), w.Due(enabled[0]))

	w.AdvanceTo(at(2 * time.Second))
	require.Equal(t, at(2*time.Second), w.Now())
	w.AdvanceTo(at(time.Second))
	require.Equal(t, at(2*time.Second), w.Now(), "a clock does not go back")
	require.Equal(t, at(5*time.Second), w.Due(w.Enabled()[0]), "what was armed before stays where it is")

	w.Admit(c, n, func(env *sim.Env) { env.Arm(0, 4*time.Second) })
	require.Equal(t, at(6*time.Second), w.Due(w.Enabled()[0]), "armed from the time of the step on")
	require.True(t, w.Step(c))
	require.Equal(t, []sim.Time{at(6 * time.Second)}, fired)

	// What was not carried out in time happens late, not in the past.
	w.Admit(c, n, func(env *sim.Env) { env.Arm(0, time.Second) })
	w.AdvanceTo(at(9 * time.Second))
	require.Equal(t, at(7*time.Second), w.Due(w.Enabled()[0]))
	require.True(t, w.Step(c))
	require.Equal(t, []sim.Time{at(6 * time.Second), at(9 * time.Second)}, fired)

	untimed := sim.NewWorld(sim.Options{})
	untimed.AdvanceTo(at(time.Second))
	require.Zero(t, untimed.Now(), "untimed there is no clock")
}

// What is admitted acts as the node, is counted as a step, and may send.
func TestAdmittedStepActsAsTheNode(t *testing.T) {
	a, b := &probe{}, &probe{}
	w := sim.NewWorld(sim.Options{Mode: sim.Timed})
	na, nb := w.Add("a", a), w.Add("b", b)
	c := &script{}
	w.Start(c)
	before := w.Steps()
	w.Admit(c, na, func(env *sim.Env) {
		require.Equal(t, na, env.Self())
		env.Send(env.Open(nb), text("from outside"))
	})
	require.Equal(t, before+1, w.Steps())
	require.True(t, w.Step(c))
	require.Equal(t, []string{"from outside"}, b.received)
}

// unhashable is a payload that must not be hashed.
type unhashable struct{ t *testing.T }

func (u unhashable) Digest(d sim.Digest) sim.Digest { u.t.Error("hashed"); return d }
func (u unhashable) Label() string                  { return "unhashable" }

func TestUntracedWorldHashesNoPayload(t *testing.T) {
	w := sim.NewWorld(sim.Options{Mode: sim.Timed, Untraced: true})
	p := &probe{}
	from, to := w.Add("from", &probe{}), w.Add("to", p)
	c := &script{}
	w.Start(c)
	w.Admit(c, from, func(env *sim.Env) { env.Send(env.Open(to), unhashable{t}) })
	require.True(t, w.Step(c))
	require.Equal(t, []string{"unhashable"}, p.received)
}

// A lane that always holds something keeps its size: a server's watch may run
// for months.
func TestBusyLaneDoesNotGrow(t *testing.T) {
	w := sim.NewWorld(sim.Options{Mode: sim.Timed, Untraced: true})
	p := &probe{}
	from, to := w.Add("from", &probe{}), w.Add("to", p)
	c := &script{}
	w.Start(c)
	var conn sim.Conn
	send := func(env *sim.Env) { env.Send(conn, text("")) }
	w.Admit(c, from, func(env *sim.Env) { conn = env.Open(to); send(env); send(env) })
	round := func() {
		p.received = p.received[:0]
		for range 100 {
			w.Admit(c, from, send)
			w.Step(c)
		}
	}
	round()
	// The slice that the world lists its actions in, and so on, are warm now.
	require.Zero(t, testing.AllocsPerRun(20, round))
}
