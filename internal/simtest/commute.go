// Package simtest helps to test nodes. A Swapper holds the cells that steps declare to the truth: two adjacent
// steps whose cells do not conflict are carried out the other way round, and the
// world must come to the same state. And a node that lists its cells (sim.Celled) must
// have declared each one that a step changed.
//
//	s := simtest.NewSwapper(seed)
//	for world.Step(s) {
//	}
//	s.Pairs, s.Swapped, s.Wrong
//
// It is for tests. The package imports sim and must never import anything else
// of this module.
package simtest

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// Swapper is a chooser that picks at random and looks at each pair of adjacent
// steps. All nodes must have Clone and Fingerprint.
type Swapper struct {
	// Pairs is how many adjacent pairs there were of which both steps were
	// possible before the first one. Swapped is how many of them did not conflict.
	Pairs, Swapped int
	// OfOneNode is how many of the swapped pairs were two steps of one node.
	OfOneNode int
	// Changed is how many cells of sim.Celled nodes the steps changed.
	Changed int
	// Wrong has a sentence for each pair that was declared not to conflict and
	// leads to another state the other way round, and for each cell that a step
	// changed and did not declare.
	Wrong []string

	random, salt uint64
	// start[0] is the world before step[0], start[1] before step[1], which came
	// next and may still be under way.
	start [2]*sim.World
	step  [2]step
}

// step is one that was carried out, with what it touched.
type step struct {
	action sim.Action
	name   string
	cells  sim.Footprint
	// asked are the questions that the step asked.
	asked []string
}

// NewSwapper returns a swapper whose picks depend on the seed alone.
func NewSwapper(seed uint64) *Swapper {
	return &Swapper{random: seed<<1 | 1, salt: seed}
}

// Begin forgets the last pair, because another run begins.
func (s *Swapper) Begin() { s.start = [2]*sim.World{} }

func (s *Swapper) Pick(w *sim.World, enabled []sim.Action) int {
	w.RecordCells(nil)
	if s.start[1] != nil {
		s.compare(w)
	}
	if s.start[0] != nil {
		s.judge(w)
	}
	chosen := int(s.draw() % uint64(len(enabled)))
	s.start[0], s.step[0], s.step[1] = s.start[1], s.step[1], s.step[0]
	copied, err := w.Clone()
	if err != nil {
		panic("commute: " + err.Error())
	}
	s.start[1] = copied
	last := &s.step[1]
	last.action, last.name = enabled[chosen], w.Name(enabled[chosen])
	last.cells.Reset()
	last.asked = last.asked[:0]
	w.RecordCells(&last.cells)
	return chosen
}

// Choose implements sim.Chooser. The answer depends on the step that asks, so
// that a step gets the same answers before and after another one.
func (s *Swapper) Choose(_ *sim.World, n int, what string) int {
	last := &s.step[1]
	last.asked = append(last.asked, what)
	return s.answer(last.action, len(last.asked), n)
}

func (s *Swapper) answer(a sim.Action, asked, n int) int {
	d := sim.NewDigest.Word(s.salt).Word(uint64(a.Slot)<<32 | uint64(a.Since)).Int(int64(asked))
	return int(d.Sum() % uint64(n))
}

// judge carries out the last two steps the other way round, if they do not
// conflict.
func (s *Swapper) judge(w *sim.World) {
	first, second := &s.step[0], &s.step[1]
	from := s.start[0]
	if from.Phase() != w.Phase() || !possible(from, second.action) {
		return
	}
	s.Pairs++
	if first.cells.Conflicts(&second.cells) {
		return
	}
	want, err := w.Fingerprint()
	if err != nil {
		panic("commute: " + err.Error())
	}
	for _, st := range []*step{second, first} {
		if !possible(from, st.action) {
			s.Wrong = append(s.Wrong, fmt.Sprintf("%q then %q: after the second one the first one is no longer possible", first.name, second.name))
			return
		}
		r := &replay{s: s, action: st.action}
		from.Do(r, st.action)
		if from.Mode() == sim.Timed && !slices.Equal(r.asked, st.asked) {
			// The delay of a loop is chosen by the step that gives it work. Where
			// either step does, the same loop gets another delay the other way round.
			return
		}
	}
	s.Swapped++
	if first.action.Node == second.action.Node {
		s.OfOneNode++
	}
	if got, _ := from.Fingerprint(); got != want {
		s.Wrong = append(s.Wrong, fmt.Sprintf("%q then %q: the other way round %s differ", first.name, second.name, differences(w, from)))
	}
}

// possible reports whether the very same event is among those that can happen.
func possible(w *sim.World, a sim.Action) bool {
	for _, e := range w.Enabled() {
		if e.Slot == a.Slot && e.Since == a.Since {
			return true
		}
	}
	return false
}

// differences names the nodes whose states differ.
func differences(a, b *sim.World) string {
	names := ""
	for n := sim.NodeID(1); int(n) < a.Nodes(); n++ {
		x, y := a.Node(n).(sim.Fingerprinter), b.Node(n).(sim.Fingerprinter)
		if x.Fingerprint(sim.NewDigest) != y.Fingerprint(sim.NewDigest) {
			names += a.NodeName(n) + " "
		}
	}
	if names == "" {
		return "messages, timers or loops"
	}
	return names
}

// replay gives a step the answers that it got before.
type replay struct {
	s      *Swapper
	action sim.Action
	asked  []string
}

func (r *replay) Pick(*sim.World, []sim.Action) int { panic("commute: a replayed step does not pick") }

func (r *replay) Choose(_ *sim.World, n int, what string) int {
	r.asked = append(r.asked, what)
	return r.s.answer(r.action, len(r.asked), n)
}

// draw is xorshift64.
func (s *Swapper) draw() uint64 {
	s.random ^= s.random << 13
	s.random ^= s.random >> 7
	s.random ^= s.random << 17
	return s.random
}

// compare looks for cells that the step under way has changed without saying so.
func (s *Swapper) compare(after *sim.World) {
	before, last := s.start[1], &s.step[1]
	if last.cells.All {
		return
	}
	for n := sim.NodeID(1); int(n) < after.Nodes(); n++ {
		was, ok := before.Node(n).(sim.Celled)
		if !ok {
			continue
		}
		for _, c := range changed(n, was, after.Node(n).(sim.Celled)) {
			s.Changed++
			if !last.writes(c) {
				s.Wrong = append(s.Wrong, fmt.Sprintf("%q changes %s %d of %s and does not declare it", last.name, c.Kind, c.Index, after.NodeName(n)))
			}
		}
	}
}

func (st *step) writes(c sim.Cell) bool {
	return slices.ContainsFunc(st.cells.Accesses, func(a sim.Access) bool { return a.Write && a.Cell.Same(c) })
}

// changed lists the cells in which two states of one node differ, in a fixed
// order.
func changed(n sim.NodeID, before, after sim.Celled) []sim.Cell {
	a, b := contents(n, before), contents(n, after)
	var list []sim.Cell
	for c, digest := range a {
		if b[c] != digest {
			list = append(list, c)
		}
	}
	for c := range b {
		if _, was := a[c]; !was {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(c, d sim.Cell) int {
		return (int(c.Kind)-int(d.Kind))<<32 + int(c.Index) - int(d.Index)
	})
	return list
}

func contents(n sim.NodeID, node sim.Celled) map[sim.Cell]sim.Digest {
	all := map[sim.Cell]sim.Digest{}
	node.Cells(func(k sim.CellKind, index int, contents sim.Digest) {
		all[sim.Cell{Kind: k, Node: n, Index: int32(index)}] = contents
	})
	return all
}
