package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim"
)

// TestNoStepSaysTheSameTwice: a note is about one thing that happened, so a node does
// not repeat it in the same step.
func TestNoStepSaysTheSameTwice(t *testing.T) {
	for _, c := range storyCases(t) {
		tr := tellOnly(t, c.name).Run.Trace
		for i := range tr.Steps {
			type said struct {
				by   sim.NodeID
				text string
			}
			before := map[said]bool{}
			for _, n := range tr.Steps[i].Notes {
				assert.False(t, before[said{n.Node, n.Text}], "%s, step %d: %s", c.name, i+1, n.Text)
				before[said{n.Node, n.Text}] = true
			}
		}
	}
}
