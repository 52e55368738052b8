package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// asker counts its steps, and asks something of the world in each.
type asker struct {
	steps int
	ask   func(env *sim.Env)
}

func (n *asker) Start(env *sim.Env)                  { env.Enable(0) }
func (n *asker) Receive(*sim.Env, *sim.Message)      {}
func (n *asker) Fire(*sim.Env, sim.Timer)            {}
func (n *asker) TaskName(sim.Task) string            { return "ask" }
func (n *asker) TimerName(sim.Timer) string          { return "" }
func (n *asker) Fingerprint(d sim.Digest) sim.Digest { return d.Int(int64(n.steps)) }

func (n *asker) Run(env *sim.Env, _ sim.Task) {
	n.steps++
	n.ask(env)
	env.Enable(0)
}

func (n *asker) Clone() sim.Node {
	c := *n
	return &c
}

func askers(memo *sim.Memo, ask func(env *sim.Env)) *sim.World {
	w := sim.NewWorld(sim.Options{})
	w.OmitNames()
	for range 2 {
		w.Add("asker", &asker{ask: ask})
	}
	w.Start(firstOne{})
	w.UseMemo(memo)
	return w
}

func forked(t *testing.T, w *sim.World) *sim.World {
	c := &sim.World{}
	require.NoError(t, w.Fork(c))
	return c
}

func never(a, b any) bool { return false }

func TestStepOfAnotherWorldIsRepeated(t *testing.T) {
	memo := sim.NewMemo(never)
	w := askers(memo, func(env *sim.Env) { env.Choose(2, "side") })
	other := forked(t, w)
	other.Do(firstOne{}, other.Enabled()[1])
	for i, before := range []*sim.World{w, other, w} {
		after := forked(t, before)
		require.True(t, after.DoAgain(firstOne{}, before.Enabled()[0], 0))
		require.Equal(t, 1, after.Node(1).(*asker).steps)
		require.Len(t, after.Enabled(), 2)
		require.Equal(t, i, memo.Repeated)
	}
	require.Equal(t, 1, memo.Taken)
}

func TestStepIsTakenAnewIfTheWorldAnswersOtherwise(t *testing.T) {
	memo := sim.NewMemo(never)
	w := askers(memo, func(env *sim.Env) { env.Open(1) })
	first := forked(t, w)
	require.True(t, first.DoAgain(firstOne{}, w.Enabled()[0], 0))
	// The other node has opened a connection, so this one gets another number.
	other := forked(t, w)
	other.Do(firstOne{}, other.Enabled()[1])
	again := forked(t, other)
	require.False(t, again.DoAgain(firstOne{}, other.Enabled()[0], 0))
	again = forked(t, other)
	again.DoAnew(firstOne{}, other.Enabled()[0], 0)
	require.Equal(t, 1, again.Node(1).(*asker).steps)
	require.Zero(t, memo.Repeated)
	require.Equal(t, 2, memo.Taken)
}

func TestStepThatLooksAtAllUnderWayIsNotRemembered(t *testing.T) {
	memo := sim.NewMemo(never)
	looks := 0
	w := askers(memo, func(env *sim.Env) { looks++; env.UnderWay(func(*sim.Message, int) {}) })
	for range 3 {
		require.True(t, forked(t, w).DoAgain(firstOne{}, w.Enabled()[0], 0))
	}
	require.Equal(t, 3, looks)
	require.Zero(t, memo.Repeated)
}
