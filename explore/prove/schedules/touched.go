package schedules

import (
	"math/bits"
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// touched is what a step read and wrote, in a form in which many pairs of steps are compared
// fast.
type touched struct {
	// cells are in order, each once, written if the step wrote it.
	cells []cell
	// reads and writes have a bit for each cell, which several share.
	reads, writes uint64
	node          sim.NodeID
	// all: the step conflicts with every other one. vague: it does not say which part of its
	// node it touched, so it conflicts with all steps of the node.
	all, vague bool
}

// cell is a cell without its item, and in its lowest bit whether it was written.
type cell uint64

func pack(a *sim.Access) cell {
	c := cell(a.Cell.Kind)<<49 | cell(a.Cell.Node)<<33 | cell(uint32(a.Cell.Index))<<1
	if a.Write {
		c |= 1
	}
	return c
}

func (c cell) same(other cell) bool { return c|1 == other|1 }
func (c cell) written() bool        { return c&1 == 1 }

// bit is the bit of a cell in a set of 64.
func (c cell) bit() uint64 { return 1 << (uint64(c>>1) * 0x9e3779b97f4a7c15 >> 58) }

// newTouched is what a step of a node has touched. Connections with this number or a higher one
// are left out.
func newTouched(f *sim.Footprint, n sim.NodeID, connections int) *touched {
	t := &touched{node: n, all: f.All, vague: true}
	for i := range f.Accesses {
		a := &f.Accesses[i]
		if a.Cell.Node == n {
			t.vague = false
		}
		if !a.Cell.OfConnection(connections) {
			t.cells = append(t.cells, pack(a))
		}
	}
	slices.Sort(t.cells)
	once := t.cells[:0]
	for i, c := range t.cells {
		// A write comes behind the reads of its cell.
		if i+1 < len(t.cells) && t.cells[i+1].same(c) {
			continue
		}
		once = append(once, c)
		if c.written() {
			t.writes |= c.bit()
		} else {
			t.reads |= c.bit()
		}
	}
	t.cells = once
	return t
}

// conflicts reports whether the two steps in the other order may lead to something else.
func (t *touched) conflicts(u *touched) bool {
	if t.all || u.all || t.node == u.node && (t.vague || u.vague) {
		return true
	}
	if t.writes&(u.reads|u.writes) == 0 && t.reads&u.writes == 0 {
		return false
	}
	for i, j := 0, 0; i < len(t.cells) && j < len(u.cells); {
		a, b := t.cells[i], u.cells[j]
		switch {
		case a.same(b):
			if a.written() || b.written() {
				return true
			}
			i, j = i+1, j+1
		case a < b:
			i++
		default:
			j++
		}
	}
	return false
}

// set is a set of small numbers: of the steps of a schedule, by their place.
type set []uint64

func (s *set) add(i int) {
	for i>>6 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}

func (s set) has(i int) bool { return i>>6 < len(s) && s[i>>6]&(1<<(i&63)) != 0 }

func (s *set) addAll(other set) {
	for len(*s) < len(other) {
		*s = append(*s, 0)
	}
	for i, word := range other {
		(*s)[i] |= word
	}
}

func (s set) meets(other set) bool {
	for i := range min(len(s), len(other)) {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// each calls f for each number, in order.
func (s set) each(f func(i int)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			f(i<<6 | bits.TrailingZeros64(word))
		}
	}
}
