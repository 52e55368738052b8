package prove

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// tree has, for each state, the one before it on its first shortest schedule, and the step
// between them. States are numbered in the order in which they are found, so that those of
// one layer stand together, in the order of the states before them. State 0 is the first.
type tree struct {
	// parents and steps are those of the states from number filed on; the others are in the file.
	parents []uint32
	steps   []step
	filed   int
	// file has the states in the form of keeping, from number 1 on.
	file io.ReaderAt
}

func (t *tree) len() int { return t.filed + len(t.parents) }

func (t *tree) add(parent uint32, s step) {
	t.parents = append(t.parents, parent)
	t.steps = append(t.steps, s)
}

// at is the state before this one, and the step between them. It may be called by several
// goroutines while add and forget are not.
func (t *tree) at(state uint32) (parent uint32, s step, err error) {
	if i := int(state) - t.filed; i >= 0 {
		return t.parents[i], t.steps[i], nil
	}
	if state == 0 {
		return 0, 0, nil
	}
	b := make([]byte, stateBytes)
	if _, err := t.file.ReadAt(b, int64(state-1)*int64(len(b))); err != nil {
		return 0, 0, fmt.Errorf("cannot read a state that is kept: %w", err)
	}
	_, parent, s = readState(b)
	return parent, s, nil
}

// forget leaves all states to the file, which has them.
func (t *tree) forget() {
	t.filed = t.len()
	t.parents, t.steps = nil, nil
}

// path appends the steps from the first state to this one.
func (t *tree) path(state uint32) ([]step, error) {
	var reversed []step
	for state != 0 {
		parent, s, err := t.at(state)
		if err != nil {
			return nil, err
		}
		reversed = append(reversed, s)
		state = parent
	}
	slices.Reverse(reversed)
	return reversed, nil
}

// bytes is how much memory the tree takes.
func (t *tree) bytes() int { return 4*cap(t.parents) + 4*cap(t.steps) }

// keptPlaces is how many places of the next layer a search keeps if it has memory enough. Each takes some
// 150 bytes. States beyond that are made again from those before them, when their turn comes.
const keptPlaces = 1 << 17

// frontier has the places of states that are to be expanded. It spares the steps to them.
type frontier struct {
	// layer has places of the layer that is expanded, next those of the layer after it, in the order of
	// their states.
	layer, next places
	// most is how much memory the next layer may take.
	most int
}

// places have their parts one behind the other; ends is where those of each end.
type places struct {
	list  []place
	ends  []int
	parts []uint32
}

func (p *places) add(x place, parts []uint32) {
	x.parts = nil
	p.parts = append(p.parts, parts...)
	p.list, p.ends = append(p.list, x), append(p.ends, len(p.parts))
}

// get is a place with its parts.
func (p *places) get(i int) place {
	x, first := p.list[i], 0
	if i > 0 {
		first = p.ends[i-1]
	}
	x.parts = p.parts[first:p.ends[i]:p.ends[i]]
	return x
}

// placeBytes is what a place takes, with its end and without its parts.
const placeBytes = 72

// bytes is how much memory they take.
func (p *places) bytes() int { return placeBytes*cap(p.list) + 4*cap(p.parts) }

// keep takes the place of a state in. States come in their order.
func (f *frontier) keep(x place, parts []uint32) {
	if len(f.next.list) < keptPlaces && f.next.bytes() < f.most {
		f.next.add(x, parts)
	}
}

// find returns the place of a state of the layer that is expanded, if it is kept.
func (f *frontier) find(state uint32) (place, bool) {
	i, found := slices.BinarySearchFunc(f.layer.list, state, func(p place, s uint32) int { return cmp.Compare(p.state, s) })
	if !found {
		return place{}, false
	}
	return f.layer.get(i), true
}

// bytes is how much memory the frontier takes.
func (f *frontier) bytes() int { return f.layer.bytes() + f.next.bytes() }

// step is one step out of a state: which of the enabled actions, and the answers to the
// questions inside it as one number, in the mixed radix of how many options each had.
type step uint32

const (
	actionBits = 10
	maxActions = 1 << actionBits
	maxAnswers = 1 << (32 - actionBits)
)

// tooLarge is what a search cannot take down. It ends there, and keeps what it has covered.
type tooLarge string

func (e tooLarge) Error() string { return string(e) }

func newStep(action int, given *explore.Combination) (step, error) {
	if action >= maxActions {
		return 0, tooLarge(fmt.Sprintf("a state has more than %d enabled actions", maxActions))
	}
	if given.Combinations() > maxAnswers {
		return 0, tooLarge(fmt.Sprintf("a step, or the start of a run, asks questions with more than %d combinations of answers", maxAnswers))
	}
	return step(action | int(given.Number())<<actionBits), nil
}

func (s step) action() int { return int(s & (maxActions - 1)) }

// chooser takes the step. Each digit of the number stands for one of at most so many answers (Bounds.Answers).
func (s step) chooser(most int) *explore.Numbered {
	return explore.NewNumbered(int(s>>actionBits), most)
}

// Path is a schedule that was found. As a chooser it takes it once, and cuts the run off
// behind it.
type Path struct {
	steps []step
	// starts: the first of the steps is the start, which only answers questions. most is
	// Bounds.Answers.
	starts bool
	most   int
	at     int
	now    *explore.Numbered
	// fixed is how many questions were asked before the first step.
	fixed int
}

func (p *Path) Len() int {
	if p.starts {
		return len(p.steps) - 1
	}
	return len(p.steps)
}

func (p *Path) Begin() {
	p.at, p.now, p.fixed = 0, nil, 0
	if p.starts {
		p.at, p.now = 1, p.steps[0].chooser(p.most)
	}
}

// Pick implements sim.Chooser. A step is the number of an action in the list of a state (sim.World.Assemble).
func (p *Path) Pick(_ *sim.World, enabled []sim.Action) int {
	if p.at == len(p.steps) {
		return -1
	}
	s := p.steps[p.at]
	p.at, p.now = p.at+1, s.chooser(p.most)
	listed := slices.SortedFunc(slices.Values(enabled), func(a, b sim.Action) int { return slices.Compare(rank(a), rank(b)) })
	return slices.Index(enabled, listed[s.action()])
}

// rank is the place of an action in the list of a state.
func rank(a sim.Action) []int32 {
	switch a.Kind {
	case sim.Run, sim.Fire:
		return []int32{0, int32(a.Node), -int32(a.Kind), a.Number}
	}
	return []int32{int32(a.Kind), a.Number}
}

// Choose implements sim.Chooser. Before the first step each question has its first answer, unless the
// path says how it starts.
func (p *Path) Choose(w *sim.World, n int, what string) int {
	if p.now == nil {
		p.fixed++
		return 0
	}
	return p.now.Choose(w, n, what)
}
