package prove

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/explore/values"
	"github.com/watchbed/watchbed/sim"
)

// board opens three streams to itself and writes on that which it is asked to.
type board struct {
	quiet
	streams []sim.Conn
}

func (n *board) Start(env *sim.Env) {
	for range 3 {
		n.streams = append(n.streams, env.Open(env.Self()))
	}
}

func (n *board) Receive(env *sim.Env, m *sim.Message) {
	env.Send(n.streams[m.Payload.(stream)], stream(0))
	env.Send(m.Conn, stream(0))
}

func (n *board) Clone() sim.Node                     { return n }
func (n *board) Fingerprint(d sim.Digest) sim.Digest { return d }

// speaker asks a board to write on a stream whenever its timer fires, and has nothing else to say.
type speaker struct {
	quiet
	on []stream
}

func (n *speaker) Start(env *sim.Env) { env.Arm(0, 0) }

func (n *speaker) Fire(env *sim.Env, _ sim.Timer) {
	env.Call(1, n.on[0])
	if n.on = n.on[1:]; len(n.on) > 0 {
		env.Arm(0, 0)
	}
}

func (n *speaker) Clone() sim.Node                     { return n }
func (n *speaker) Fingerprint(d sim.Digest) sim.Digest { return d }

type quiet struct{}

func (quiet) Receive(*sim.Env, *sim.Message) {}
func (quiet) Fire(*sim.Env, sim.Timer)       {}
func (quiet) Run(*sim.Env, sim.Task)         {}
func (quiet) TaskName(sim.Task) string       { return "" }
func (quiet) TimerName(sim.Timer) string     { return "" }

type stream int

func (s stream) Digest(d sim.Digest) sim.Digest { return d.Int(int64(s)) }
func (stream) Label() string                    { return "stream" }

// spoken is a world in which speakers have asked one after the other, each for its next stream.
func spoken(t *testing.T, speakers [][]stream, asks []int) *sim.World {
	w := sim.NewWorld(sim.Options{})
	w.OmitNames()
	w.Add("board", &board{})
	for _, on := range speakers {
		w.Add("speaker", &speaker{on: slices.Clone(on)})
	}
	var c answers.Combination
	w.Start(&c)
	do := func(which func(a sim.Action) bool) {
		i := slices.IndexFunc(w.Enabled(), which)
		require.GreaterOrEqual(t, i, 0)
		w.Do(&c, w.Enabled()[i])
	}
	for _, n := range asks {
		speaker := sim.NodeID(2 + n)
		do(func(a sim.Action) bool { return a.Kind == sim.Fire && a.Node == speaker })
		do(func(a sim.Action) bool { return a.Kind == sim.Deliver && a.Node == 1 && w.Pending(a).From == speaker })
		do(func(a sim.Action) bool { return a.Kind == sim.Deliver && a.Node == speaker })
	}
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

// Speakers that are all alike, but that stand in a ring: each wrote behind another one. No two of
// them can swap their places, and to go around makes no difference.
func TestSymmetryFindsTheOrderOfNodesThatLookAlike(t *testing.T) {
	const a, b, c = 0, 1, 2
	ring := [][]stream{a: {0, 2}, b: {1, 0}, c: {2, 1}}
	asks := []int{a, b, c, a, b, c}
	y := newSymmetry([][]sim.NodeID{{2, 3, 4}}, 5)
	own := []sim.Digest{sim.Seeded(1), sim.Seeded(1), sim.Seeded(1)}
	key, states := of(t, y, spoken(t, ring, asks), own)
	require.Equal(t, 2, states)
	for _, order := range [][3]int{{a, c, b}, {b, a, c}, {b, c, a}, {c, a, b}, {c, b, a}} {
		speakers, other := make([][]stream, 3), []int(nil)
		for i, n := range order {
			speakers[n] = ring[i]
		}
		for _, n := range asks {
			other = append(other, order[n])
		}
		again, _ := of(t, y, spoken(t, speakers, other), own)
		require.Equal(t, key, again, order)
	}
	// What the past says of one tells it apart from the others, and with it all of the ring.
	_, states = of(t, y, spoken(t, ring, asks), []sim.Digest{sim.Seeded(1), sim.Seeded(2), sim.Seeded(1)})
	require.Equal(t, 6, states)
	// Those that have not spoken yet are the same in any order.
	_, states = of(t, y, spoken(t, ring, nil), own)
	require.Equal(t, 1, states)
	_, states = of(t, y, spoken(t, ring, []int{b}), own)
	require.Equal(t, 3, states)
}
