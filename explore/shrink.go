package explore

import (
	"context"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// DefaultShrinkRuns is how many runs shrinking takes at most, unless somebody
// says otherwise.
const DefaultShrinkRuns = 20_000

// Shrunk is a smaller run that fails the same way.
type Shrunk struct {
	// Recording is the smaller run; a strict replay gives it to the bit. Tool,
	// Scenario, Parameters, Strategy and Seed are those of the original.
	Recording *Recording
	// Runs is how many runs it took.
	Runs int
	// Before and After are lengths in steps.
	Before, After int
	// Complete: nothing that was tried made it smaller any more. Otherwise the
	// runs or the patience of the caller came to their end first.
	Complete bool
}

// Shrink looks for a small run that fails in the given way, beginning with a
// recorded one. It is a function of the recording and of the number of runs
// (0 is DefaultShrinkRuns). A violation that shows before the run is over
// leads to a recording that ends with it.
//
// The idea is delta debugging (Zeller, Hildebrandt: Simplifying and Isolating
// Failure-Inducing Input, TSE 2002). Choices that no longer fit are passed over,
// so taking away the first step of an operation takes all of it away: to take
// operations away as a whole first was tried, and made it slower.
//
// It returns an error if the recording does not replay, or does not fail so.
func Shrink(ctx context.Context, r *Runner, rec *Recording, f Failure, runs int) (*Shrunk, error) {
	if runs <= 0 {
		runs = DefaultShrinkRuns
	}
	res, err := Replay(r, rec)
	if err != nil {
		return nil, err
	}
	if res.Find(f) == nil {
		return nil, fmt.Errorf("the recording does not fail so: %s", f)
	}
	t := newNames()
	t.coarse = true
	n, err := note(r, rec, t)
	if err != nil {
		return nil, err
	}
	s := &shrinker{
		ctx: ctx, runner: r, failure: f, left: runs,
		follower: &follower{noted: noted{names: t}, ahead: len(n.taken.steps)},
		best:     n.taken, size: n.taken.size(), over: !n.truncated, longest: len(n.taken.steps),
	}
	complete := s.shrink()

	small, err := s.record()
	if err != nil {
		return nil, err
	}
	small.Tool, small.Scenario, small.Parameters = rec.Tool, rec.Scenario, rec.Parameters
	small.Strategy, small.Seed = rec.Strategy, rec.Seed
	return &Shrunk{
		Recording: small, Runs: runs - s.left + 3, // and the replay, the noting and the recording
		Before: s.longest, After: len(s.best.steps), Complete: complete,
	}, nil
}

type shrinker struct {
	ctx      context.Context
	runner   *Runner
	failure  Failure
	follower *follower
	best     plan
	size     size
	// over: the best run is not cut off.
	over bool
	// longest is the length of the run that it began with.
	longest int
	left    int
}

// shrink returns whether it came to its own end.
//
// Candidates are cut off where their plan ends. If the smallest run is still one
// that is over, the violation is likely one that shows at the end only. Then it
// begins again: candidates are carried on to their end by default choices, and
// what gets smaller is what departs from the default.
func (s *shrinker) shrink() bool {
	whole, size := s.best, s.size
	if !s.passes() {
		return false
	}
	if s.over {
		s.best, s.size = whole, size
		s.follower.finish = true
		return s.passes()
	}
	return true
}

func (s *shrinker) passes() bool {
	for {
		before := s.size
		s.cutTail()
		s.dropChunks()
		s.raiseAnswers()
		s.lowerAnswers()
		s.straighten()
		if !s.going() {
			return false
		}
		if s.size == before && !s.postpone() {
			return s.going()
		}
	}
}

func (s *shrinker) going() bool { return s.left > 0 && s.ctx.Err() == nil }

// try carries out a candidate. If it fails the same way and is smaller, what
// really happened in it is the best from now on.
func (s *shrinker) try(p *plan) bool {
	if !s.going() {
		return false
	}
	s.left--
	s.follower.begin(p)
	limit := len(s.best.steps)
	if s.follower.finish {
		limit = s.longest
	}
	res := s.runner.run(s.follower, limit)
	if res.Find(s.failure) == nil {
		return false
	}
	size := s.follower.taken.size()
	smaller := size.shorter(s.size)
	if s.follower.finish {
		smaller = size.plainer(s.size)
	}
	if !smaller {
		return false
	}
	s.best, s.size, s.over = s.follower.taken.clone(), size, !res.Truncated
	return true
}

// cutTail looks for the earliest step at which the violation shows.
func (s *shrinker) cutTail() {
	low := 0
	for low < len(s.best.steps) && s.going() {
		middle := (low + len(s.best.steps)) / 2
		p := s.best
		p.steps = p.steps[:middle]
		if !s.try(&p) {
			low = middle + 1
		}
	}
}

// dropChunks takes away neighbouring steps, from the end, in ever smaller
// chunks.
func (s *shrinker) dropChunks() {
	var p plan
	for size := len(s.best.steps) / 2; size >= 1; size /= 2 {
		for end := len(s.best.steps); end > 0 && s.going(); {
			start := max(0, end-size)
			p.start = s.best.start
			p.steps = append(append(p.steps[:0], s.best.steps[:start]...), s.best.steps[end:]...)
			s.try(&p)
			end = min(start, len(s.best.steps))
		}
	}
}

// raiseAnswers tries the last answer to each question, in timed runs: there
// nothing can be left out, but what does not matter may come so late that it is
// cut off.
func (s *shrinker) raiseAnswers() {
	if s.runner.world.Mode() != sim.Timed {
		return
	}
	for i := 0; i < len(s.best.lists()); i++ {
		for j := 0; s.going() && i < len(s.best.lists()) && j < len(s.best.lists()[i]); j++ {
			a := s.best.lists()[i][j]
			if a.value == a.options-1 {
				continue
			}
			p := s.best.clone()
			p.lists()[i][j].value = a.options - 1
			s.try(&p)
		}
	}
}

// lowerAnswers tries the first option for all questions, for each one, and then
// half of what is left of each.
func (s *shrinker) lowerAnswers() {
	p := s.best.clone()
	for _, list := range p.lists() {
		for i := range list {
			list[i].value = 0
		}
	}
	if s.try(&p) {
		return
	}
	for i := 0; i < len(s.best.lists()); i++ {
		for j := 0; i < len(s.best.lists()) && j < len(s.best.lists()[i]); j++ {
			for value := int32(0); s.going(); {
				lists := s.best.lists()
				if i >= len(lists) || j >= len(lists[i]) || lists[i][j].value <= value {
					break
				}
				p := s.best.clone()
				p.lists()[i][j].value = value
				if s.try(&p) {
					continue
				}
				// Nothing at or below value will do: go half of the way up.
				value += max(1, (lists[i][j].value-value)/2)
			}
		}
	}
}

// straighten brings forward the steps that the default would have taken first,
// which undoes interleavings that do not matter.
func (s *shrinker) straighten() {
	for i := 0; i < len(s.best.steps) && s.going(); i++ {
		steps := s.best.steps
		if steps[i].name == steps[i].usual {
			continue
		}
		for j := i + 1; j < len(steps); j++ {
			if steps[j].name != steps[i].usual {
				continue
			}
			p := plan{start: s.best.start, steps: slices.Clone(steps)}
			moved := p.steps[j]
			copy(p.steps[i+1:j+1], p.steps[i:j])
			p.steps[i] = moved
			s.try(&p)
			break
		}
	}
}

// postpone takes a step out and puts it to the end of a shorter run: what is in
// the way of a smaller run may be needed, only later. It tries the shortest ones
// first and returns whether one will do. The candidates grow with the square of
// the length, so it is the last resort.
func (s *shrinker) postpone() bool {
	if s.over {
		return false
	}
	steps := s.best.steps
	var p plan
	p.start = s.best.start
	for end := 2; end <= len(steps); end++ {
		for i := range steps[:end-1] {
			p.steps = append(append(p.steps[:0], steps[:i]...), steps[i+1:end]...)
			p.steps = append(p.steps, steps[i])
			if s.try(&p) {
				return true
			}
			if !s.going() {
				return false
			}
		}
	}
	return false
}

// record follows the best plan once more, for its names, its hash and its
// findings, and replays what it wrote down.
func (s *shrinker) record() (*Recording, error) {
	s.follower.begin(&s.best)
	// A plan that was carried on is followed to its end, which is the run's.
	rec, _ := record(s.runner, s.follower, len(s.best.steps))
	res, err := Replay(s.runner, rec)
	if err != nil {
		return nil, fmt.Errorf("the shrunk run does not replay: %w", err)
	}
	if res.Find(s.failure) == nil {
		return nil, fmt.Errorf("the shrunk run does not fail so when replayed: %s", s.failure)
	}
	return rec, nil
}

// clone copies what the follower will use again.
func (p *plan) clone() plan {
	c := plan{start: slices.Clone(p.start), steps: slices.Clone(p.steps)}
	for i := range c.steps {
		c.steps[i].answers = slices.Clone(c.steps[i].answers)
	}
	return c
}
