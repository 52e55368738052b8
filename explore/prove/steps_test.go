package prove_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/sim"
)

type firstOne struct{}

func (firstOne) Pick(*sim.World, []sim.Action) int  { return 0 }
func (firstOne) Choose(*sim.World, int, string) int { return 0 }

// asker counts its steps, and asks something of the world in each.
type asker struct {
	sim.Idle
	steps int
	ask   func(n *asker, env *sim.Env)
}

func (n *asker) Start(env *sim.Env)                  { env.Enable(0) }
func (n *asker) Fingerprint(d sim.Digest) sim.Digest { return d.Int(int64(n.steps)) }

func (n *asker) Run(env *sim.Env, _ sim.Task) {
	n.steps = (n.steps + 1) % 4
	n.ask(n, env)
	env.Enable(0)
}

func (n *asker) Clone() sim.Node {
	c := *n
	return &c
}

// known are the worlds of two askers, taken apart, and how steps are taken in them.
type known struct {
	*prove.Store
	stepper *prove.Stepper
	first   prove.State
	like    *sim.World
}

func askers(t *testing.T, ask func(n *asker, env *sim.Env)) known {
	w := sim.NewWorld(sim.Options{})
	w.OmitNames()
	for range 2 {
		w.Add("asker", &asker{ask: ask})
	}
	w.Start(firstOne{})
	store, err := prove.NewStore(w)
	require.NoError(t, err)
	stepper, first, err := store.Stepper(w)
	require.NoError(t, err)
	return known{store, stepper, first, w}
}

// take takes a step. again is whether it was learned before.
func (k *known) take(s prove.State, a sim.Action) (next prove.State, again bool) {
	return k.stepper.Take(s, a, firstOne{}, 0, nil)
}

// world puts the world of a state together.
func (k *known) world(t *testing.T, s prove.State) *sim.World {
	into := &sim.World{}
	require.NoError(t, k.like.Fork(into))
	return k.stepper.World(s, into)
}

// brittle cannot be cloned after a step.
type brittle struct{ asker }

func (b *brittle) Clone() sim.Node {
	if b.steps > 0 {
		panic("brittle")
	}
	c := *b
	return &c
}

// A search goes on after the code under test has panicked.
func TestLockIsFreeAfterANodeHasPanicked(t *testing.T) {
	w := sim.NewWorld(sim.Options{})
	w.OmitNames()
	w.Add("brittle", &brittle{asker{ask: func(*asker, *sim.Env) {}}})
	w.Start(firstOne{})
	store, err := prove.NewStore(w)
	require.NoError(t, err)
	stepper, first, err := store.Stepper(w)
	require.NoError(t, err)
	for range 2 {
		require.PanicsWithValue(t, "brittle", func() {
			stepper.Take(first, store.Enabled(first, nil)[0], firstOne{}, 0, nil)
		})
	}
}

func TestStepOfAnotherStateIsRepeated(t *testing.T) {
	k := askers(t, func(_ *asker, env *sim.Env) { env.Choose(2, "side") })
	enabled := slices.Clone(k.Enabled(k.first, nil))
	other, again := k.take(k.first, enabled[1])
	require.False(t, again)
	for i, before := range []prove.State{k.first, other, k.first} {
		after, again := k.take(before, enabled[0])
		require.Equal(t, i > 0, again)
		require.NotEqual(t, k.Object(before, 1), k.Object(after, 1))
		require.Equal(t, k.Object(before, 2), k.Object(after, 2))
		require.Len(t, k.Enabled(after, nil), 2)
	}
}

// Another connection is open already, or another reading of the counter was taken: the same step of the same node does
// otherwise.
func TestStepIsTakenAnewIfItIsToldOtherwise(t *testing.T) {
	for name, ask := range map[string]func(n *asker, env *sim.Env){
		"open": func(_ *asker, env *sim.Env) { env.Open(1) },
		"tick": func(_ *asker, env *sim.Env) { env.Tick() },
	} {
		t.Run(name, func(t *testing.T) {
			k := askers(t, ask)
			enabled := slices.Clone(k.Enabled(k.first, nil))
			_, again := k.take(k.first, enabled[0])
			require.False(t, again)
			other, again := k.take(k.first, enabled[1])
			require.False(t, again)
			next, again := k.take(other, enabled[0])
			require.False(t, again)
			w := k.world(t, other)
			w.Do(firstOne{}, w.Enabled()[0])
			requireSame(t, w, k.world(t, next))
		})
	}
}

// requireSame compares what two worlds do from here on.
func requireSame(t *testing.T, a, b *sim.World) {
	x, err := a.Fingerprint()
	require.NoError(t, err)
	y, err := b.Fingerprint()
	require.NoError(t, err)
	require.Equal(t, x, y)
	require.ElementsMatch(t, actions(a), actions(b))
}

// actions are what can happen next, without the numbers that a world gives them.
func actions(w *sim.World) []sim.Action {
	list := slices.Clone(w.Enabled())
	for i := range list {
		list[i].Slot, list[i].Since = 0, 0
	}
	return list
}

func TestStepThatLooksAtAllUnderWayIsNotRemembered(t *testing.T) {
	looks := 0
	k := askers(t, func(_ *asker, env *sim.Env) { looks++; env.UnderWay(func(*sim.Message, int) {}) })
	for range 3 {
		_, again := k.take(k.first, k.Enabled(k.first, nil)[0])
		require.False(t, again)
	}
	require.Equal(t, 3, looks)
}
