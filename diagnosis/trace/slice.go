package trace

import "github.com/watchbed/watchbed/sim"

// Slicer knows what each step of one run depends on: what it finds is a dynamic slice, as Korel and Laski
// (Dynamic program slicing, Information Processing Letters 29, 1988) and Agrawal and Horgan (Dynamic
// program slicing, PLDI 1990) made them of programs.
//
// A step depends on
//
//	the step that sent the message which it delivers,
//	the step that armed its timer or gave its loop something to do,
//	for each cell that it reads, the step that wrote it last: the same item, or
//	one of both is the whole cell.
//
// What a step reads and writes it declares itself (sim.Env.Read and the like). A
// node that never declares anything, such as a cache of another module, counts as
// one cell: each of its steps depends on the one before.
// Nothing here goes by the name of an action or the text of a note.
type Slicer struct {
	// causes are the steps that each step depends on directly.
	causes [][]int
}

// Focus says what a slice is about.
type Focus struct {
	// Spontaneous nodes act when they want: what their timers do depends on no
	// earlier step.
	Spontaneous map[sim.NodeID]bool
	// Read narrows a cell that a step reads to the part that matters, or says that
	// it does not matter; nil is everything. A list reads all objects; if a slice is
	// about one of them, the others need not be followed.
	Read func(sim.Cell) (narrowed sim.Cell, matters bool)
}

// NewSlicer reads a trace.
func NewSlicer(t *Trace, focus Focus) *Slicer {
	if focus.Read == nil {
		focus.Read = func(c sim.Cell) (sim.Cell, bool) { return c, true }
	}
	s := &Slicer{causes: make([][]int, len(t.Steps))}
	written, opaque := writes{}, opaqueNodes(t, focus.Spontaneous)
	for i := range t.Steps {
		step := &t.Steps[i]
		if step.Delivered >= 0 {
			s.add(i, t.Messages[step.Delivered].Sent)
		}
		if last, isOpaque := opaque[step.Node]; isOpaque {
			s.add(i, last)
			opaque[step.Node] = i
		}
		found := s.follow(i, step.Accesses, written, focus.Read)
		if followsSince(t, i, found, focus.Spontaneous) {
			s.add(i, step.Since)
		}
	}
	return s
}

// noStep is the last step of a node that has not acted yet.
const noStep = -1

// opaqueNodes are the nodes that act and declare no cell in the whole run. The
// spontaneous ones are not among them: their steps depend on no earlier ones.
func opaqueNodes(t *Trace, spontaneous map[sim.NodeID]bool) map[sim.NodeID]int {
	declares := map[sim.NodeID]bool{}
	for i := range t.Steps {
		for _, a := range t.Steps[i].Accesses {
			declares[a.Cell.Node] = true
		}
	}
	opaque := map[sim.NodeID]int{}
	for i := range t.Steps {
		if n := t.Steps[i].Node; n != 0 && !declares[n] && !spontaneous[n] {
			opaque[n] = noStep
		}
	}
	return opaque
}

// followsSince reports whether the step depends on the one that made it possible.
func followsSince(t *Trace, i int, found found, spontaneous map[sim.NodeID]bool) bool {
	step := &t.Steps[i]
	switch step.Kind {
	case sim.Fire:
		return !spontaneous[step.Node]
	case sim.Run:
		// The entry that a loop takes says where the work came from; it may have been
		// enabled for another entry before. So it is with a loop that enables itself
		// because there is more to do.
		itself := step.Since >= 0 && t.Steps[step.Since].Slot == step.Slot
		return found == nothing || found == aCell && !itself
	}
	return false
}

// found tells which cells that a step reads were written by an earlier step.
type found int

const (
	nothing found = iota
	// aCell: whole cells only; anEntry: an item of a cell.
	aCell
	anEntry
)

// follow adds the last writers of what a step reads, and takes down its own
// writes.
func (s *Slicer) follow(i int, accesses []sim.Access, written writes, narrow func(sim.Cell) (sim.Cell, bool)) found {
	f := nothing
	for _, a := range accesses {
		switch {
		case a.Cell.Node == 0:
			// The world's own cells: messages, timers and loops are followed as such.
		case a.Write:
			written.add(a.Cell, i)
		default:
			c, matters := narrow(a.Cell)
			if !matters {
				continue
			}
			if last := written.last(c); last >= 0 && last != i {
				s.add(i, last)
				f = max(f, aCell)
				if a.Cell.Item != 0 {
					f = anEntry
				}
			}
		}
	}
	return f
}

func (s *Slicer) add(i, cause int) {
	if cause >= 0 && cause < i {
		s.causes[i] = append(s.causes[i], cause)
	}
}

// Direct are the steps that a step depends on directly.
func (s *Slicer) Direct(step int) []int { return s.causes[step] }

// Before marks the given steps and all that led to them. Negative ends are
// ignored.
func (s *Slicer) Before(ends ...int) []bool {
	led := make([]bool, len(s.causes))
	work := append([]int(nil), ends...)
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if i < 0 || led[i] {
			continue
		}
		led[i] = true
		work = append(work, s.causes[i]...)
	}
	return led
}

// After marks a step and all that depends on it, up to the last one. With a
// negative first step it marks nothing.
func (s *Slicer) After(first, last int) []bool {
	came := make([]bool, len(s.causes))
	if first < 0 {
		return came
	}
	came[first] = true
	for i := first + 1; i <= last && i < len(came); i++ {
		for _, j := range s.causes[i] {
			came[i] = came[i] || came[j]
		}
	}
	return came
}

// writes are the writes so far, by cell without the item, in order.
type writes map[sim.Cell][]write

type write struct {
	item int64
	step int
}

func (w writes) add(c sim.Cell, step int) {
	item := c.Item
	if item == sim.NoItem {
		return
	}
	c.Item = 0
	if item == 0 {
		// Nothing that was there before can be found any more.
		w[c] = w[c][:0]
	}
	w[c] = append(w[c], write{item, step})
}

// last is the step that wrote what a read of the cell finds, -1 if none did.
func (w writes) last(read sim.Cell) int {
	item := read.Item
	if item == sim.NoItem {
		return -1
	}
	read.Item = 0
	for list := w[read]; len(list) > 0; list = list[:len(list)-1] {
		if x := list[len(list)-1]; item == 0 || x.item == 0 || x.item == item {
			return x.step
		}
	}
	return -1
}
