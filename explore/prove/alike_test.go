package prove_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/sim/arena"
)

func TestMemoryInReserveMakesNoDifference(t *testing.T) {
	type node struct {
		numbers []*int
		memory  arena.Arena[int]
	}
	a, b := &node{}, &node{}
	b.memory.Take(3)
	for _, n := range []*node{a, b} {
		n.numbers = append(n.numbers, n.memory.New())
	}
	require.True(t, prove.Alike(a, b))
	*b.numbers[0]++
	require.False(t, prove.Alike(a, b))
}
