package prove

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/explore/values"
	"github.com/watchbed/watchbed/sim"
)

// caller opens streams to other nodes, and has nothing else to say.
type caller struct {
	quiet
	to []sim.NodeID
}

func (n *caller) Start(env *sim.Env) {
	for _, to := range n.to {
		env.Open(to)
	}
}

func (n *caller) Clone() sim.Node                     { return n }
func (n *caller) Fingerprint(d sim.Digest) sim.Digest { return d }

type quiet struct{}

func (quiet) Receive(*sim.Env, *sim.Message) {}
func (quiet) Fire(*sim.Env, sim.Timer)       {}
func (quiet) Run(*sim.Env, sim.Task)         {}
func (quiet) TaskName(sim.Task) string       { return "" }
func (quiet) TimerName(sim.Timer) string     { return "" }

// called is a world of callers from node 1 on.
func called(to ...[]sim.NodeID) *sim.World {
	w := sim.NewWorld(sim.Options{})
	w.OmitNames()
	for _, to := range to {
		w.Add("caller", &caller{to: to})
	}
	w.Start(&answers.Combination{})
	return w
}

// of is the symmetry's fingerprint of a world.
func of(t *testing.T, y *symmetry, w *sim.World, own []sim.Digest) (sim.Digest, int) {
	parts, err := sim.NewParts(w, values.Alike(), values.Weigh(), &sync.Mutex{})
	require.NoError(t, err)
	_, s, err := parts.Learner(w, values.Alike())
	require.NoError(t, err)
	return y.of(parts, s, own)
}

// Three callers are all alike, but they stand in a ring: each has a stream to another one. No two of them can swap
// their places, and to go around makes no difference.
func TestSymmetryFindsTheOrderOfNodesThatLookAlike(t *testing.T) {
	y := newSymmetry([][]sim.NodeID{{2, 3, 4}}, 5)
	none, own := []sim.NodeID(nil), []sim.Digest{sim.Seeded(1), sim.Seeded(1), sim.Seeded(1)}
	ring, around := called(none, []sim.NodeID{3}, []sim.NodeID{4}, []sim.NodeID{2}), called(none, []sim.NodeID{4}, []sim.NodeID{2}, []sim.NodeID{3})
	key, states := of(t, y, ring, own)
	require.Equal(t, 2, states)
	again, _ := of(t, y, around, own)
	require.Equal(t, key, again)
	// A stream to oneself and one to another are no ring.
	again, _ = of(t, y, called(none, []sim.NodeID{3}, []sim.NodeID{2}, []sim.NodeID{4}), own)
	require.NotEqual(t, key, again)
	// What the past says of one tells it apart from the others, and with it all of the ring.
	_, states = of(t, y, ring, []sim.Digest{sim.Seeded(1), sim.Seeded(2), sim.Seeded(1)})
	require.Equal(t, 6, states)
	// Those that have no stream are the same in any order.
	_, states = of(t, y, called(none, none, none, none), own)
	require.Equal(t, 1, states)
	_, states = of(t, y, called(none, none, []sim.NodeID{1}, none), own)
	require.Equal(t, 3, states)
}
