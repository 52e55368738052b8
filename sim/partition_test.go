package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// greet opens a stream to a node, and sends a message on it.
func greet(to sim.NodeID, c *sim.Conn) func(env *sim.Env) {
	return func(env *sim.Env) {
		*c = env.Open(to)
		env.Send(*c, text("before"))
	}
}

// What is sent across a partition waits until it is over, and no connection breaks.
func TestPartitionHoldsMessagesBack(t *testing.T) {
	for name, other := range map[string][]sim.NodeID{"from one": {2}, "from all": nil} {
		t.Run(name, func(t *testing.T) {
			w := sim.NewWorld(sim.Options{})
			var cut sim.Conn
			b := &probe{}
			w.Add("a", &probe{start: greet(2, &cut)})
			w.Add("b", b)
			w.Add("c", &probe{start: greet(2, new(sim.Conn))})
			w.AddFault(&sim.Partition{One: []sim.NodeID{1}, Other: other, Label: "a"}, sim.Budget{Times: 2})
			const begins, fromC = "inject partition a", "deliver c>b c/start.0#0"
			s := &script{picks: []string{begins, fromC}}
			w.Start(s)
			require.True(t, w.Step(s))
			// Only c reaches b, and the partition may end.
			require.ElementsMatch(t, []string{fromC, begins}, names(w))
			require.True(t, w.Step(s))
			require.Len(t, b.received, 1)
			require.Equal(t, []string{begins}, names(w))
			drain(w, s)
			require.Len(t, b.received, 2)
			require.True(t, w.IsOpen(cut))
		})
	}
}

// A partition that is one-way holds back what one side sends, and nothing of what it is sent.
func TestPartitionIsOneWay(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	a, b := &probe{start: greet(2, new(sim.Conn))}, &probe{start: greet(1, new(sim.Conn))}
	w.Add("a", a)
	w.Add("b", b)
	w.AddFault(&sim.Partition{One: []sim.NodeID{1}, OneWay: true, Label: "a"}, sim.Budget{Times: 2})
	const begins, fromB = "inject partition a", "deliver b>a b/start.0#0"
	s := &script{picks: []string{begins, fromB}}
	w.Start(s)
	require.True(t, w.Step(s))
	require.ElementsMatch(t, []string{fromB, begins}, names(w))
	require.True(t, w.Step(s))
	require.Len(t, a.received, 1)
	require.Empty(t, b.received)
	drain(w, s)
	require.Len(t, b.received, 1)
}

// A partition may break the streams in the end. What waits is lost from some point on, and both ends hear of it.
func TestPartitionBreaksStreams(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	var cut sim.Conn
	a, b := &probe{start: greet(2, &cut)}, &probe{}
	w.Add("a", a)
	w.Add("b", b)
	w.AddFault(&sim.Partition{One: []sim.NodeID{1}, Breaks: true, Label: "a"}, sim.Budget{Times: 2})
	const begins = "inject partition a"
	s := &script{picks: []string{begins, begins}}
	w.Start(s)
	drain(w, s)
	require.Equal(t, []string{"connection broken"}, a.received)
	require.Equal(t, []string{"connection broken"}, b.received)
	require.False(t, w.IsOpen(cut))
}
