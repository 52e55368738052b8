package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// counter counts the steps of its loops, which it enables from the first or from the last on.
type counter struct {
	sim.Idle
	loops, steps int
	fromLast     bool
}

func (c *counter) Start(env *sim.Env) {
	for t := range c.loops {
		if c.fromLast {
			t = c.loops - 1 - t
		}
		env.Enable(sim.Task(t))
	}
}

func (c *counter) Run(env *sim.Env, t sim.Task) {
	c.steps++
	env.Enable(t)
}

func (c *counter) Clone() sim.Node {
	d := *c
	return &d
}

type firstOne struct{}

func (firstOne) Pick(*sim.World, []sim.Action) int  { return 0 }
func (firstOne) Choose(*sim.World, int, string) int { return 0 }
func steps(w *sim.World, n sim.NodeID) int          { return w.Node(n).(*counter).steps }
func begin(w *sim.World, name string, n *counter)   { w.Add(name, n); w.Start(firstOne{}) }

func TestNodeIsSharedUntilItActs(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	w.Add("idle", &counter{})
	begin(w, "busy", &counter{loops: 1})
	c := &sim.World{}
	require.NoError(t, w.Fork(c))
	require.Same(t, w.Node(2), c.Node(2))

	require.True(t, w.Step(firstOne{}))
	require.Equal(t, 1, steps(w, 2))
	require.Zero(t, steps(c, 2))
	require.Same(t, w.Node(1), c.Node(1), "a node that has not acted")
}

func TestCloneOutlivesTheNextRunOfItsWorld(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	begin(w, "busy", &counter{loops: 2})
	c := &sim.World{}
	require.NoError(t, w.Fork(c))

	// In the next run the loops of this node have other places in the world's table.
	w.Reset(sim.Options{})
	begin(w, "busy", &counter{loops: 2, fromLast: true})
	for range 4 {
		require.True(t, c.Step(firstOne{}))
	}
	require.Len(t, c.Enabled(), 2)
	require.Equal(t, 4, steps(c, 1))
}
