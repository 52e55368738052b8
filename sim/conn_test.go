package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

func TestUnderWay(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	s := &script{}
	answers := &probe{receive: func(env *sim.Env, m *sim.Message) {
		env.Send(m.Conn, text("first"))
		env.Send(m.Conn, text("second"))
	}}
	a := w.Add("a", answers)
	w.Add("b", &probe{start: func(env *sim.Env) { env.Send(env.Open(a), text("ask")) }})
	w.Add("c", &probe{start: func(env *sim.Env) { env.Send(env.Open(a), text("ask")) }})
	w.Start(s)
	underWay := func(n sim.NodeID) (found []string) {
		w.UnderWay(n, func(first *sim.Message, count int) {
			found = append(found, w.NodeName(first.To)+": "+first.Payload.Label()+" of "+string(rune('0'+count)))
		})
		return found
	}
	require.Empty(t, underWay(a))
	require.True(t, w.Step(s))
	require.Equal(t, []string{"b: first of 2"}, underWay(a))
	require.True(t, w.Step(s))
	require.Equal(t, []string{"b: second of 1"}, underWay(a))
	require.True(t, w.Step(s))
	require.True(t, w.Step(s))
	require.Equal(t, []string{"c: first of 2"}, underWay(a), "what was taken is not under way")
}

// bulk is a payload of so many objects.
type bulk int

func (b bulk) Digest(d sim.Digest) sim.Digest { return d.Int(int64(b)) }
func (b bulk) Label() string                  { return "bulk" }
func (b bulk) Objects() int                   { return int(b) }

// TestPace: objects of a paced node come one after the other, and all that is under way is
// lost if the connection breaks.
func TestPace(t *testing.T) {
	w := sim.NewWorld(sim.Options{Mode: sim.Timed})
	const breaksAt = 35
	s := &script{choices: []int{breaksAt}}
	a := w.Add("a", &probe{receive: func(env *sim.Env, m *sim.Message) {
		env.Send(m.Conn, bulk(3))
		env.Send(m.Conn, text("no object"))
		env.Send(m.Conn, bulk(1))
	}})
	w.Pace(a, 10)
	var came []sim.Time
	var last string
	b := w.Add("b", &probe{
		start: func(env *sim.Env) { env.Send(env.Open(a), text("ask")) },
		receive: func(env *sim.Env, m *sim.Message) {
			came, last = append(came, env.Now()), m.Payload.Label()
		},
	})
	w.AddFault(&sim.BreakStream{From: []sim.NodeID{b}, To: a, Label: "b"}, sim.Budget{Times: 1, Within: 64})
	w.Start(s)
	for w.Step(s) {
	}
	require.Equal(t, []sim.Time{30, 30, breaksAt}, came)
	require.Equal(t, "connection broken", last)
}
