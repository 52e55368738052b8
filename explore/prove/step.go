package prove

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

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

// Len implements Schedule.
func (p *Path) Len() int {
	if p.starts {
		return len(p.steps) - 1
	}
	return len(p.steps)
}

// Begin implements Schedule.
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
