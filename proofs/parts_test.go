package proofs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// In every scenario, a step between states leads to the state of the world to which the step of a
// world leads, if it is carried out and if it is repeated.
func TestStepsOfStatesLeadWhereStepsOfWorldsLead(t *testing.T) {
	for i, sc := range testbed.Scenarios() {
		if i%testsize.Of(1, 6) != 0 {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			s, err := sc.New(sc.Params)
			require.NoError(t, err)
			first := sim.NewWorld(s.Options())
			first.OmitNames()
			explore.Begin(s, first, &explore.Combination{})
			store, steps, begin, err := newStates(first)
			require.NoError(t, err)
			taken := stepper{t: t, first: first, store: store, states: steps, known: map[bool]int{}}
			for seed := range uint64(testsize.Of(2, 1)) {
				r := rand.New(rand.NewPCG(seed, 1))
				w := fork(t, first)
				at := begin
				for range 150 {
					enabled := w.Enabled()
					if len(enabled) == 0 {
						break
					}
					w, at = taken.step(w, at, r.IntN(len(enabled)), r.IntN(3))
				}
			}
			require.Positive(t, taken.known[true])
			require.Positive(t, taken.known[false])
		})
	}
}

type stepper struct {
	t      *testing.T
	first  *sim.World
	store  *prove.Store
	states *prove.Stepper
	// known is how many steps were repeated, and how many were not.
	known map[bool]int
}

// step takes a step in the world and twice between states, with one combination of answers after the
// other, up to which.
func (x *stepper) step(w *sim.World, at prove.State, i, which int) (*sim.World, prove.State) {
	var given explore.Combination
	listed := slices.Clone(x.states.World(at, fork(x.t, x.first)).Enabled())
	requireActions(x.t, w.Enabled(), listed)
	if !x.store.Faults(at) {
		require.Equal(x.t, listed, x.store.Enabled(at, nil))
	}
	a := slices.Clone(w.Enabled())[i]
	same := listed[slices.IndexFunc(listed, func(b sim.Action) bool { return b.Kind == a.Kind && b.Node == a.Node && b.Number == a.Number })]
	for ; ; which-- {
		taken := fork(x.t, w)
		taken.Do(&given, a)
		var next prove.State
		for range 2 {
			given.Again()
			var known bool
			next, known = x.states.Take(at, same, &given, given.Number(), nil)
			x.known[known]++
			behaviour, err := taken.Behaviour()
			require.NoError(x.t, err)
			require.Equal(x.t, behaviour, x.states.Behaviour(next))
			again := x.states.World(next, fork(x.t, x.first))
			require.Equal(x.t, state(x.t, taken), state(x.t, again))
			requireActions(x.t, taken.Enabled(), again.Enabled())
		}
		if which == 0 || !given.Next() {
			return taken, next
		}
	}
}

// newStates returns the states of worlds that a world leads to, with what takes steps, and the first state.
func newStates(first *sim.World) (*prove.Store, *prove.Stepper, prove.State, error) {
	store, err := prove.NewStore(first)
	if err != nil {
		return nil, nil, nil, err
	}
	stepper, begin, err := store.Stepper(first)
	return store, stepper, begin, err
}

// take takes a step between states, with the first answer to each of its questions.
func take(p *prove.Stepper, s prove.State, a sim.Action) prove.State {
	next, _ := p.Take(s, a, &explore.Combination{}, 0, nil)
	return next
}

// requireActions compares what can happen next. Since when it can, and in which order it came up, is not kept.
func requireActions(t *testing.T, want, got []sim.Action) {
	want, got = slices.Clone(want), slices.Clone(got)
	for _, list := range [][]sim.Action{want, got} {
		for i := range list {
			list[i].Since, list[i].Slot = 0, 0
		}
	}
	require.ElementsMatch(t, want, got)
}

func state(t *testing.T, w *sim.World) uint64 {
	d, err := w.Fingerprint()
	require.NoError(t, err)
	return d
}
