package ample

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/watchbed/watchbed/internal/intern"
	"github.com/watchbed/watchbed/sim"
)

// use is what a step does with a cell. The item of the cell is 0: it makes no difference for conflicts.
type use = sim.Access

// Cells that stand for no part of a node. A step reads that of its node and that of everything, so that one which
// does not say what it touched of the node, or may have touched anything, conflicts with it.
const (
	ofNode sim.CellKind = 1<<16 - 1 - iota
	ofEverything
	// ofJudges is written by each step that judges see.
	ofJudges
)

// Touched numbers what steps have touched, each once. Workers add to it, and read it without a lock.
type Touched struct {
	lock    intern.Lock
	numbers map[string]uint32
	uses    intern.List[[]use]
}

// Number is that of what a step of a node has touched.
func (t *Touched) Number(n sim.NodeID, f *sim.Footprint) uint32 {
	uses := usesOf(n, f)
	key := keyOf(uses)
	t.lock.Lock()
	defer t.lock.Unlock()
	number, known := t.numbers[key]
	if !known {
		if t.numbers == nil {
			t.numbers = map[string]uint32{}
		}
		number = t.uses.Add(uses)
		t.numbers[key] = number
	}
	return number
}

// usesOf has each cell once, in order.
func usesOf(n sim.NodeID, f *sim.Footprint) []use {
	uses := []use{{Cell: sim.Cell{Kind: ofEverything}, Write: f.All}}
	says := false
	for _, a := range f.Accesses {
		a.Cell.Item = 0
		says = says || a.Cell.Node == n
		uses = append(uses, a)
	}
	uses = append(uses, use{Cell: sim.Cell{Kind: ofNode, Node: n}, Write: !says})
	slices.SortFunc(uses, compareUses)
	once := uses[:0]
	for i, u := range uses {
		// A write comes behind the reads of its cell.
		if i+1 == len(uses) || uses[i+1].Cell != u.Cell {
			once = append(once, u)
		}
	}
	return slices.Clip(once)
}

func compareUses(a, b use) int {
	return cmp.Or(cmp.Compare(a.Cell.Kind, b.Cell.Kind), cmp.Compare(a.Cell.Node, b.Cell.Node), cmp.Compare(a.Cell.Index, b.Cell.Index), cmp.Compare(truth(a.Write), truth(b.Write)))
}

func truth(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func keyOf(uses []use) string {
	var b []byte
	for _, u := range uses {
		b = binary.LittleEndian.AppendUint16(b, uint16(u.Cell.Kind))
		b = binary.LittleEndian.AppendUint16(b, uint16(u.Cell.Node))
		b = append(binary.LittleEndian.AppendUint32(b, uint32(u.Cell.Index)), truth(u.Write))
	}
	return string(b)
}
