package sim_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// asker counts its steps, and asks something of the world in each.
type asker struct {
	steps int
	ask   func(n *asker, env *sim.Env)
}

func (n *asker) Start(env *sim.Env)                  { env.Enable(0) }
func (n *asker) Receive(*sim.Env, *sim.Message)      {}
func (n *asker) Fire(*sim.Env, sim.Timer)            {}
func (n *asker) TaskName(sim.Task) string            { return "ask" }
func (n *asker) TimerName(sim.Timer) string          { return "" }
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

// askers are two of them, taken apart. Their world is put together from a state by the third result.
func askers(t *testing.T, ask func(n *asker, env *sim.Env)) (*sim.Parts, sim.State, func(sim.State) *sim.World) {
	w := sim.NewWorld(sim.Options{})
	w.OmitNames()
	for range 2 {
		w.Add("asker", &asker{ask: ask})
	}
	w.Start(firstOne{})
	parts, s, err := sim.NewParts(w, sameAsker, func(any) int { return 1 })
	require.NoError(t, err)
	return parts, s, func(s sim.State) *sim.World {
		into := &sim.World{}
		require.NoError(t, w.Fork(into))
		return parts.World(s, into)
	}
}

// take takes a step. known is whether it was learned before.
func take(parts *sim.Parts, s sim.State, a sim.Action) (next sim.State, known bool) {
	if next, known = parts.Again(s, a, firstOne{}, 0, nil); known {
		return next, true
	}
	return parts.Learn(s, a, firstOne{}, 0, nil), false
}

func TestStepOfAnotherStateIsRepeated(t *testing.T) {
	parts, s, _ := askers(t, func(_ *asker, env *sim.Env) { env.Choose(2, "side") })
	enabled := slices.Clone(parts.Enabled(s, nil))
	other, known := take(parts, s, enabled[1])
	require.False(t, known)
	for i, before := range []sim.State{s, other, s} {
		after, known := take(parts, before, enabled[0])
		require.Equal(t, i > 0, known)
		require.NotEqual(t, parts.Object(before, 1), parts.Object(after, 1))
		require.Equal(t, parts.Object(before, 2), parts.Object(after, 2))
		require.Len(t, parts.Enabled(after, nil), 2)
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
			parts, s, world := askers(t, ask)
			enabled := slices.Clone(parts.Enabled(s, nil))
			_, known := take(parts, s, enabled[0])
			require.False(t, known)
			other, known := take(parts, s, enabled[1])
			require.False(t, known)
			next, known := take(parts, other, enabled[0])
			require.False(t, known)
			w := world(other)
			w.Do(firstOne{}, w.Enabled()[0])
			requireSame(t, w, world(next))
		})
	}
}

// A node comes back to where it was, and has a slot by then for the loop that its step enables. From
// where it had none, the step still makes one.
func TestStepMakesTheSlotThatAnotherStateHas(t *testing.T) {
	parts, s, world := askers(t, func(_ *asker, env *sim.Env) { env.Enable(1); env.Disable(1) })
	before := s
	for range 5 {
		s, _ = take(parts, s, parts.Enabled(s, nil)[0])
	}
	after, _ := take(parts, before, parts.Enabled(before, nil)[0])
	w := world(before)
	w.Do(firstOne{}, w.Enabled()[0])
	requireSame(t, w, world(after))
	fresh, known := take(parts, after, parts.Enabled(after, nil)[1])
	require.False(t, known)
	w.Do(firstOne{}, w.Enabled()[1])
	requireSame(t, w, world(fresh))
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
	parts, s, _ := askers(t, func(_ *asker, env *sim.Env) { looks++; env.UnderWay(func(*sim.Message, int) {}) })
	for range 3 {
		_, known := take(parts, s, parts.Enabled(s, nil)[0])
		require.False(t, known)
	}
	require.Equal(t, 3, looks)
}
