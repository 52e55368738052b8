package proofs_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// Searches without any reduction keep whole worlds. Those of the package are held to them.

// walked is what such a search goes through.
type walked interface {
	Adopt(*sim.World)
	Monitors(sim.Digest) sim.Digest
	Endless(sim.NodeID) bool
}

type timer struct {
	node  sim.NodeID
	timer sim.Timer
}

// met is a state: a world, and how often each timer has fired whose firings are bounded.
type met struct {
	world *sim.World
	fired map[timer]int
}

// key is what the world will do, and what judges still need to know.
func (m met) key(t *testing.T, s walked) sim.Digest {
	behaviour, err := m.world.Behaviour()
	require.NoError(t, err)
	s.Adopt(m.world)
	key := s.Monitors(behaviour)
	for _, id := range slices.SortedFunc(maps.Keys(m.fired), func(a, b timer) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.timer, b.timer))
	}) {
		key = key.Int(int64(id.node)).Int(int64(id.timer)).Int(int64(m.fired[id]))
	}
	return key
}

// steps calls f with each step out of the state and each combination of answers to its questions, and with the firings
// behind it. It reports whether there is any.
func (m met) steps(s walked, firings int, f func(i int, a sim.Action, given *explore.Combination, fired map[timer]int)) (any bool) {
	for i, a := range slices.Clone(m.world.Enabled()) {
		fired := m.fired
		if a.Kind == sim.Fire && s.Endless(a.Node) {
			id := timer{a.Node, m.world.TimerOf(a)}
			if fired[id] >= firings {
				continue
			}
			if fired = maps.Clone(fired); fired == nil {
				fired = map[timer]int{}
			}
			fired[id]++
		}
		any = true
		var given explore.Combination
		for more := true; more; more = given.Next() {
			f(i, a, &given, fired)
		}
	}
	return any
}

func fork(t *testing.T, w *sim.World) *sim.World {
	c := &sim.World{}
	require.NoError(t, w.Fork(c))
	return c
}
