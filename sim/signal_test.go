package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// A signal has its node act, and what lasts is over in the liveness phase.
func TestSignalActsAsItsNode(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	b := &probe{}
	w.Add("a", &probe{})
	w.Add("b", b)
	var stopped bool
	var ends int
	w.AddFault(&sim.Signal{
		To: 1, Label: "stop a",
		Give: func(env *sim.Env, n sim.Node) {
			require.Equal(t, sim.NodeID(1), env.Self())
			require.Same(t, w.Node(1), n)
			stopped = !stopped
			env.Send(env.Open(2), text("stopped"))
		},
		End: func(env *sim.Env, _ sim.Node) {
			require.Equal(t, sim.NodeID(1), env.Self())
			ends++
			stopped = false
		},
	}, sim.Budget{Times: 1})
	s := &script{picks: []string{"inject stop a"}}
	w.Start(s)
	require.True(t, w.Step(s))
	require.True(t, stopped)
	drain(w, s)
	require.Len(t, b.received, 1)
	w.Heal()
	require.False(t, stopped)
	require.Equal(t, 1, ends)
}
