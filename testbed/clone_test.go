package testbed_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// A world and its clone share each node until it acts in one of them. Both take the course
// that they would take alone, and what is kept of a node's behaviour is forgotten when it
// acts.
func TestClonesGoTheirOwnWay(t *testing.T) {
	const before, after = 60, 60
	for _, sc := range testbed.Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			s, err := sc.New(sc.Params)
			require.NoError(t, err)
			for seed := range uint64(4) {
				w := sim.NewWorld(s.Options())
				s.Build(w)
				w.Start(lots{rand.New(rand.NewPCG(seed, 1))})
				walk(t, w, lots{rand.New(rand.NewPCG(seed, 2))}, before, false)
				clone := &sim.World{}
				require.NoError(t, w.Fork(clone))
				again := &sim.World{}
				require.NoError(t, w.Fork(again))
				// The first goes somewhere else, in between the steps of nothing else.
				walk(t, again, lots{rand.New(rand.NewPCG(seed, 4))}, after, true)
				asked := end(t, w, seed, after, true)
				require.Equal(t, asked, end(t, clone, seed, after, false), "seed %d", seed)
			}
		})
	}
}

type course struct {
	trace, state uint64
	behaviour    sim.Digest
}

func end(t *testing.T, w *sim.World, seed uint64, steps int, ask bool) course {
	walk(t, w, lots{rand.New(rand.NewPCG(seed, 3))}, steps, ask)
	state, err := w.Fingerprint()
	require.NoError(t, err)
	behaviour, err := w.Behaviour()
	require.NoError(t, err)
	return course{w.TraceHash(), state, behaviour}
}

// walk takes steps, and asks after each what is kept of the nodes.
func walk(t *testing.T, w *sim.World, c lots, steps int, ask bool) {
	for range steps {
		if !w.Step(c) {
			return
		}
		if ask {
			_, err := w.Behaviour()
			require.NoError(t, err)
		}
	}
}

// lots draws everything from one source.
type lots struct{ *rand.Rand }

func (l lots) Pick(_ *sim.World, enabled []sim.Action) int { return l.IntN(len(enabled)) }
func (l lots) Choose(_ *sim.World, n int, _ string) int    { return l.IntN(n) }

// TestCloneAmidInitialEvents: a clone of a world in which initial events are listed,
// buffered and drained takes the same course as the original, and leaves it alone.
func TestCloneAmidInitialEvents(t *testing.T) {
	for _, sc := range []*testbed.Scenario{scenarios.WatchListStart, scenarios.WatchListSlow} {
		for _, buffer := range []string{"as-shipped", "inject-merged", "cap", "references", "newest-only"} {
			p := campaigns.With(t, sc, "initial-events-end=timer", "initial-events-buffer="+buffer)
			s, err := sc.New(p)
			require.NoError(t, err)
			for seed := range uint64(150) {
				w := sim.NewWorld(s.Options())
				s.Build(w)
				steps := func(w *sim.World, c lots, n int) {
					for range n {
						if !w.Step(c) {
							return
						}
					}
				}
				w.Start(lots{rand.New(rand.NewPCG(seed, 1))})
				steps(w, lots{rand.New(rand.NewPCG(seed, 2))}, int(seed)*2)
				clone, err := w.Clone()
				require.NoError(t, err)
				end := func(w *sim.World) (uint64, uint64) {
					steps(w, lots{rand.New(rand.NewPCG(seed, 3))}, 200)
					fingerprint, err := w.Fingerprint()
					require.NoError(t, err)
					return w.TraceHash(), fingerprint
				}
				hash, fingerprint := end(w)
				sameHash, sameFingerprint := end(clone)
				require.Equal(t, hash, sameHash, "%s %s, seed %d", sc.Name, buffer, seed)
				require.Equal(t, fingerprint, sameFingerprint, "%s %s, seed %d", sc.Name, buffer, seed)
			}
		}
	}
}
