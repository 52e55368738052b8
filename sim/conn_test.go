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
