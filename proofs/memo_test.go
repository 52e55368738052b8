package proofs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// In every scenario, a step that is repeated from the memo leads to the state to which the
// step leads that is taken.
func TestRepeatedStepsLeadWhereStepsLead(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			s, err := sc.New(sc.Params)
			require.NoError(t, err)
			if s.Options().Mode == sim.Timed {
				t.Skip("a timed world takes each step itself")
			}
			first, memo := sim.NewWorld(s.Options()), sim.NewMemo(prove.Alike)
			first.OmitNames()
			explore.Begin(s, first, &answers.Combination{})
			first.UseMemo(memo)
			for seed := range uint64(testsize.Of(20, 4, 2)) {
				r := rand.New(rand.NewPCG(seed, 1))
				w := fork(t, first)
				for range 150 {
					enabled := w.Enabled()
					if len(enabled) == 0 {
						break
					}
					w = repeat(t, w, enabled[r.IntN(len(enabled))], r.IntN(3))
				}
			}
			require.Positive(t, memo.Repeated)
			require.Positive(t, memo.Taken)
		})
	}
}

// repeat takes a step itself, from the memo, and from the memo again, with one combination of
// answers after the other, up to which.
func repeat(t *testing.T, w *sim.World, a sim.Action, which int) *sim.World {
	var given answers.Combination
	for ; ; which-- {
		taken := fork(t, w)
		taken.Do(&given, a)
		var again *sim.World
		for range 2 {
			given.Again()
			again = fork(t, w)
			if !again.DoAgain(&given, a, given.Number()) {
				given.Again()
				again = fork(t, w)
				again.DoAnew(&given, a, given.Number())
			}
			require.Equal(t, state(t, taken), state(t, again))
			require.Equal(t, taken.Enabled(), again.Enabled())
		}
		if which == 0 || !given.Next() {
			return again
		}
	}
}

func fork(t *testing.T, w *sim.World) *sim.World {
	c := &sim.World{}
	require.NoError(t, w.Fork(c))
	return c
}

func state(t *testing.T, w *sim.World) uint64 {
	d, err := w.Fingerprint()
	require.NoError(t, err)
	return d
}
