package prove

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGraphFindsTheNumbersOfItsStates(t *testing.T) {
	for _, wide := range []bool{false, true} {
		form := formOf(&Config{})
		form.wide = wide
		of := func(i uint64) key {
			if wide {
				return key{first: 1, second: i}
			}
			return key{first: i + 1}
		}
		g := newGraph(form, of(0))
		const states = 3 * leastPlaces
		c := &chunk{expanded: make([]expanded, states)}
		for i := range uint64(states) {
			if i > 0 {
				g.found(of(i))
			}
			c.expanded[i].edges = []edge{{thread: 1}, {thread: 2}}
			c.led = append(c.led, of((i+7)%states), of(i))
		}
		g.expand(c)
		for i := range states {
			require.Equal(t, []edge{{to: uint32((i + 7) % states), thread: 1}, {to: uint32(i), thread: 2}}, g.states[i].edges)
		}
	}
}
