package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/sim"
)

var (
	cellA = sim.NewCell("test: a")
	cellB = sim.NewCell("test: b")
)

func access(k sim.CellKind, n sim.NodeID, index int32, write bool) sim.Access {
	return sim.Access{Cell: sim.Cell{Kind: k, Node: n, Index: index}, Write: write}
}

func TestStepsConflictWhenOneWritesWhatTheOtherUses(t *testing.T) {
	base := sim.Footprint{Accesses: []sim.Access{access(cellA, 1, 2, true)}}
	for _, c := range []struct {
		name  string
		other sim.Footprint
		want  bool
	}{
		{"read of the same cell", sim.Footprint{Accesses: []sim.Access{access(cellA, 1, 2, false)}}, true},
		{"write of the same cell", sim.Footprint{Accesses: []sim.Access{access(cellA, 1, 2, true)}}, true},
		{"other index", sim.Footprint{Accesses: []sim.Access{access(cellA, 1, 3, true)}}, false},
		{"other node", sim.Footprint{Accesses: []sim.Access{access(cellA, 2, 2, true)}}, false},
		{"other kind", sim.Footprint{Accesses: []sim.Access{access(cellB, 1, 2, true)}}, false},
		{"nothing", sim.Footprint{}, false},
		{"everything", sim.Footprint{All: true}, true},
	} {
		assert.Equal(t, c.want, base.Conflicts(&c.other), c.name)
		assert.Equal(t, c.want, c.other.Conflicts(&base), c.name)
	}
	read := sim.Footprint{Accesses: []sim.Access{access(cellA, 1, 2, false)}}
	assert.False(t, read.Conflicts(&read), "two reads commute")
}

func TestItemDecidesWhichWriteAReadFinds(t *testing.T) {
	whole := sim.Cell{Kind: cellA, Node: 1}
	seventh, eighth := whole, whole
	seventh.Item, eighth.Item = 7, 8
	assert.True(t, seventh.Covers(seventh))
	assert.True(t, whole.Covers(seventh))
	assert.True(t, seventh.Covers(whole))
	assert.False(t, seventh.Covers(eighth))
	assert.True(t, seventh.Same(eighth), "items do not matter for conflicts")
}

func TestLooksConflictAndNoStoryFollowsThem(t *testing.T) {
	whole := sim.Cell{Kind: cellA, Node: 1}
	look := whole
	look.Item = sim.NoItem
	assert.False(t, whole.Covers(look))
	assert.False(t, look.Covers(whole))
	assert.False(t, look.Covers(look))
	write := sim.Footprint{Accesses: []sim.Access{{Cell: whole, Write: true}}}
	assert.True(t, write.Conflicts(&sim.Footprint{Accesses: []sim.Access{{Cell: look}}}))
}
