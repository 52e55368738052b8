package prove

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGraphFindsTheNumbersOfItsStates(t *testing.T) {
	g := newGraph(1)
	const states = 3 * leastPlaces
	c := &chunk{expanded: make([]expanded, states)}
	for i := range states {
		if i > 0 {
			g.found(key(i + 1))
		}
		c.expanded[i].edges = []edge{{thread: 1}, {thread: 2}}
		c.led = append(c.led, key((i+7)%states+1), key(i+1))
	}
	g.expand(c)
	for i := range states {
		require.Equal(t, []edge{{to: uint32((i + 7) % states), thread: 1}, {to: uint32(i), thread: 2}}, g.states[i].edges)
	}
}
