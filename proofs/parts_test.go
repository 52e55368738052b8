package proofs_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/values"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// In every scenario, a step between states leads to the state of the world to which the step of a
// world leads, if it is carried out and if it is repeated.
func TestStepsOfStatesLeadWhereStepsOfWorldsLead(t *testing.T) {
	for i, sc := range testbed.Scenarios() {
		if i%testsize.Of(1, 2, 6) != 0 {
			continue
		}
		t.Run(sc.Name, func(t *testing.T) {
			s, err := sc.New(sc.Params)
			require.NoError(t, err)
			first := sim.NewWorld(s.Options())
			first.OmitNames()
			explore.Begin(s, first, &explore.Combination{})
			parts, learner, begin, err := newParts(first)
			require.NoError(t, err)
			taken := stepper{t: t, first: first, parts: parts, learner: learner, known: map[bool]int{}}
			for seed := range uint64(testsize.Of(2, 1, 1)) {
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
	t       *testing.T
	first   *sim.World
	parts   *sim.Parts
	learner *sim.Learner
	// known is how many steps were repeated, and how many were not.
	known map[bool]int
}

// step takes a step in the world and twice between states, with one combination of answers after the
// other, up to which.
func (x *stepper) step(w *sim.World, at sim.State, i, which int) (*sim.World, sim.State) {
	var given explore.Combination
	if !x.parts.Faults(at) {
		requireActions(x.t, w.Enabled(), x.parts.Enabled(at, nil))
	}
	a := slices.Clone(w.Enabled())[i]
	for ; ; which-- {
		taken := fork(x.t, w)
		taken.Do(&given, a)
		var next sim.State
		for range 2 {
			given.Again()
			var known bool
			next, known = x.learner.Take(at, a, &given, given.Number(), nil)
			x.known[known]++
			behaviour, err := taken.Behaviour()
			require.NoError(x.t, err)
			require.Equal(x.t, behaviour, x.learner.Behaviour(next))
			again := x.parts.World(next, fork(x.t, x.first))
			require.Equal(x.t, state(x.t, taken), state(x.t, again))
			requireActions(x.t, taken.Enabled(), again.Enabled())
		}
		if which == 0 || !given.Next() {
			return taken, next
		}
	}
}

// newParts returns the parts of worlds that a world leads to, with what takes steps, and the first state.
func newParts(first *sim.World) (*sim.Parts, *sim.Learner, sim.State, error) {
	parts, err := sim.NewParts(first, values.Alike(), values.Weigh(), &sync.Mutex{})
	if err != nil {
		return nil, nil, nil, err
	}
	learner, begin, err := parts.Learner(first, values.Alike())
	return parts, learner, begin, err
}

// take takes a step between states, with the first answer to each of its questions.
func take(learner *sim.Learner, s sim.State, a sim.Action) sim.State {
	next, _ := learner.Take(s, a, &explore.Combination{}, 0, nil)
	return next
}

// requireActions compares what can happen next. Since when it can is not kept.
func requireActions(t *testing.T, want, got []sim.Action) {
	want, got = slices.Clone(want), slices.Clone(got)
	for _, list := range [][]sim.Action{want, got} {
		for i := range list {
			list[i].Since = 0
		}
	}
	require.Equal(t, want, got)
}

func state(t *testing.T, w *sim.World) uint64 {
	d, err := w.Fingerprint()
	require.NoError(t, err)
	return d
}
