package sim_test

import (
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

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

// sameAsker compares askers, and payloads.
func sameAsker(a, b any) bool {
	x, is := a.(*asker)
	if !is {
		return reflect.DeepEqual(a, b)
	}
	y, is := b.(*asker)
	return is && x.steps == y.steps
}

// known are the worlds of two askers, taken apart, and how steps are taken in them.
type known struct {
	*sim.Parts
	learner *sim.Learner
	first   sim.State
	like    *sim.World
}

func askers(t *testing.T, ask func(n *asker, env *sim.Env)) known {
	w := sim.NewWorld(sim.Options{})
	w.OmitNames()
	for range 2 {
		w.Add("asker", &asker{ask: ask})
	}
	w.Start(firstOne{})
	parts, err := sim.NewParts(w, sameAsker, func(any) int { return 1 }, &sync.Mutex{})
	require.NoError(t, err)
	learner, first, err := parts.Learner(w, sameAsker)
	require.NoError(t, err)
	return known{parts, learner, first, w}
}

// take takes a step. again is whether it was learned before.
func (k *known) take(s sim.State, a sim.Action) (next sim.State, again bool) {
	return k.learner.Take(s, a, firstOne{}, 0, nil)
}

// world puts the world of a state together.
func (k *known) world(t *testing.T, s sim.State) *sim.World {
	into := &sim.World{}
	require.NoError(t, k.like.Fork(into))
	return k.World(s, into)
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
	var lock sync.Mutex
	parts, err := sim.NewParts(w, sameAsker, func(any) int { return 1 }, &lock)
	require.NoError(t, err)
	learner, first, err := parts.Learner(w, sameAsker)
	require.NoError(t, err)
	require.PanicsWithValue(t, "brittle", func() {
		learner.Take(first, parts.Enabled(first, nil)[0], firstOne{}, 0, nil)
	})
	require.True(t, lock.TryLock())
}

func TestStepOfAnotherStateIsRepeated(t *testing.T) {
	k := askers(t, func(_ *asker, env *sim.Env) { env.Choose(2, "side") })
	enabled := slices.Clone(k.Enabled(k.first, nil))
	other, again := k.take(k.first, enabled[1])
	require.False(t, again)
	for i, before := range []sim.State{k.first, other, k.first} {
		after, again := k.take(before, enabled[0])
		require.Equal(t, i > 0, again)
		require.NotEqual(t, k.Object(before, 1), k.Object(after, 1))
		require.Equal(t, k.Object(before, 2), k.Object(after, 2))
		require.Len(t, k.Enabled(after, nil), 2)
	}
}

// Another connection is open already, another reading of the counter was taken, or a loop has no slot
// yet: the same step of the same node does otherwise.
func TestStepIsTakenAnewIfItIsToldOtherwise(t *testing.T) {
	for name, ask := range map[string]func(n *asker, env *sim.Env){
		"open": func(_ *asker, env *sim.Env) { env.Open(1) },
		"tick": func(_ *asker, env *sim.Env) { env.Tick() },
		"slot": func(n *asker, env *sim.Env) { env.Enable(sim.Task(n.steps)) },
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

// A node comes back to where it was, and has a slot by then for the loop that its step enables. From
// where it had none, the step still makes one.
func TestStepMakesTheSlotThatAnotherStateHas(t *testing.T) {
	k := askers(t, func(_ *asker, env *sim.Env) { env.Enable(1); env.Disable(1) })
	before, s := k.first, k.first
	for range 5 {
		s, _ = k.take(s, k.Enabled(s, nil)[0])
	}
	after, _ := k.take(before, k.Enabled(before, nil)[0])
	w := k.world(t, before)
	w.Do(firstOne{}, w.Enabled()[0])
	requireSame(t, w, k.world(t, after))
	fresh, again := k.take(after, k.Enabled(after, nil)[1])
	require.False(t, again)
	w.Do(firstOne{}, w.Enabled()[1])
	requireSame(t, w, k.world(t, fresh))
}

// requireSame compares what two worlds do from here on.
func requireSame(t *testing.T, a, b *sim.World) {
	x, err := a.Fingerprint()
	require.NoError(t, err)
	y, err := b.Fingerprint()
	require.NoError(t, err)
	require.Equal(t, x, y)
	require.Equal(t, len(a.Enabled()), len(b.Enabled()))
	for i, e := range a.Enabled() {
		require.Equal(t, e.Slot, b.Enabled()[i].Slot)
		require.Equal(t, e.Node, b.Enabled()[i].Node)
	}
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
