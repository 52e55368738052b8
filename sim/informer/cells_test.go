package informer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/internal/simtest"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
)

// Two steps that touch none of each other's cells come to the same in either
// order, and a step declares the cells that it changes.
func TestStepsDeclareTheirCells(t *testing.T) {
	node := informer.New(informer.Config{Servers: []sim.NodeID{1}})
	var pairs, swapped, changed int
	for seed := range uint64(400) {
		f := newField(seed, node)
		s := simtest.NewSwapper(seed)
		for range 300 {
			if !f.w.Step(s) {
				break
			}
		}
		if !assert.Empty(t, s.Wrong, "seed %d", seed) {
			return
		}
		pairs += s.Pairs
		swapped += s.Swapped
		changed += s.Changed
	}
	t.Logf("%d pairs, %d of them swapped; %d cells changed", pairs, swapped, changed)
	assert.Greater(t, min(swapped, changed), 10_000)
}
