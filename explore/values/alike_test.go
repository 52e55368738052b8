package values_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/values"
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
	require.True(t, values.Alike(a, b))
	*b.numbers[0]++
	require.False(t, values.Alike(a, b))
}
