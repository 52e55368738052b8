package recording

import (
	"context"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// DefaultShrinkRuns is how many runs shrinking takes at most, unless the caller
// gives another number.
const DefaultShrinkRuns = 20_000

// Shrunk is a smaller run that fails the same way.
type Shrunk struct {
	// Recording is the smaller run; a strict replay gives it to the bit. Tool,
	// Scenario, Parameters, Strategy and Seed are those of the original.
	Recording *Recording
	// Runs is how many candidates ran.
	Runs int
	// Before and After are lengths in steps.
	Before, After int
	// Complete: no candidate was smaller any more or, timed, had fewer steps. Otherwise
	// the limit of runs was reached or the context cancelled first.
	Complete bool
	// Deciding are the kinds of parts without which the run does not fail, as Reduce finds them: with the same
	// choices, and in Redraws with others.
	Deciding []Kind
}

// Shrink looks for a small run that fails in the given way, beginning with a
// recorded one. It is a function of the recording and of the number of runs
// (0 is DefaultShrinkRuns). A violation that shows before the run is over
// leads to a recording that ends with it.
//
// The idea is delta debugging (Zeller, Hildebrandt: Simplifying and Isolating
// Failure-Inducing Input, TSE 2002). Choices that no longer fit are passed over,
// so taking away the first step of an operation takes all of it away. Taking whole
// operations away first was tried, and was slower.
//
// It returns an error if the recording does not replay, or does not fail in this
// way.
func Shrink(ctx context.Context, r *explore.Runner, rec *Recording, f explore.Failure, runs int) (*Shrunk, error) {
	if runs <= 0 {
		runs = DefaultShrinkRuns
	}
	s, err := newShrinker(ctx, r, rec, f, runs)
	if err != nil {
		return nil, err
	}
	return s.shrunk(rec, runs, s.shrink())
}

// newShrinker carries out the recorded run again. It is an error if that does not replay, or does not fail in this way.
func newShrinker(ctx context.Context, r *explore.Runner, rec *Recording, f explore.Failure, runs int) (*shrinker, error) {
	res, err := Replay(r, rec)
	if err != nil {
		return nil, err
	}
	if res.Find(f) == nil {
		return nil, fmt.Errorf("the recording does not fail in this way: %s", f)
	}
	t := newNames()
	t.coarse = true
	best, truncated, err := replayPlan(r, rec, t)
	if err != nil {
		return nil, err
	}
	return &shrinker{
		ctx: ctx, runner: r, failure: f, left: runs,
		follower: &follower{planned: planned{names: t}, ahead: len(best.steps)},
		best:     best, size: best.size(), over: !truncated, longest: len(best.steps),
	}, nil
}

// shrunk is what came of the recording in so many runs at most.
func (s *shrinker) shrunk(rec *Recording, runs int, complete bool) (*Shrunk, error) {
	small, err := s.record()
	if err != nil {
		return nil, err
	}
	small.Tool, small.Scenario, small.Parameters = rec.Tool, rec.Scenario, rec.Parameters
	small.Strategy, small.Seed = rec.Strategy, rec.Seed
	return &Shrunk{
		Recording: small, Runs: runs - s.left,
		Before: s.longest, After: len(s.best.steps), Complete: complete,
	}, nil
}

type shrinker struct {
	ctx      context.Context
	runner   *explore.Runner
	failure  explore.Failure
	follower *follower
	best     plan
	size     size
	// over: the best run is not cut off.
	over bool
	// longest is the number of steps of the run that shrinking began with.
	longest int
	// left is how many more candidates may run.
	left int
}

// shrink reports whether it is complete.
//
// Candidates are cut off where their plan ends. If even the smallest run is over
// at its end, the violation likely shows only at the end of a run. Then shrinking
// begins again: candidates are carried on to their end by default choices, and
// the number of departures from the default gets smaller.
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

func (s *shrinker) going() bool { return s.left > 0 && s.ctx.Err() == nil }

// try carries out a candidate. If it fails the same way and is smaller, the plan
// of the run that came of it is the best from now on.
func (s *shrinker) try(p *plan) bool { return s.tryWithin(p, len(s.best.steps)) }

// tryWithin cuts the candidate off after so many steps, unless candidates are carried on
// to their end.
func (s *shrinker) tryWithin(p *plan, limit int) bool {
	if !s.going() {
		return false
	}
	s.left--
	s.follower.begin(p)
	if s.follower.finish {
		limit = s.longest
	}
	res := s.runner.RunUpTo(s.follower, limit)
	if res.Find(s.failure) == nil {
		return false
	}
	size := s.follower.plan.size()
	smaller := size.shorter(s.size)
	if s.follower.finish {
		smaller = size.plainer(s.size)
	}
	if !smaller {
		return false
	}
	s.best, s.size, s.over = s.follower.plan.clone(), size, !res.Truncated
	return true
}

// record follows the best plan once more, for its names, its hash and its
// findings, and replays the recording.
func (s *shrinker) record() (*Recording, error) {
	s.follower.begin(&s.best)
	rec := &recorder{chooser: s.follower}
	// A plan that was carried on to the end of its run is recorded up to there.
	res := s.runner.RunUpTo(rec, len(s.best.steps))
	small := rec.recording(&res)
	res, err := Replay(s.runner, small)
	if err != nil {
		return nil, fmt.Errorf("the shrunk run does not replay: %w", err)
	}
	if res.Find(s.failure) == nil {
		return nil, fmt.Errorf("the shrunk run does not fail in this way when replayed: %s", s.failure)
	}
	return small, nil
}

// passes repeats the passes until none of them makes the run smaller, and reports
// whether it got that far.
func (s *shrinker) passes() bool {
	for {
		before := s.size
		s.cutTail()
		s.delayEvents()
		s.dropChunks()
		s.lowerAnswers()
		s.straighten()
		if !s.going() {
			return false
		}
		if s.timed() {
			if s.size.steps == before.steps && s.size.departures == before.departures {
				// Another round would only lower a few answers further.
				return true
			}
			continue
		}
		if s.size == before && !s.postpone() {
			return s.going()
		}
	}
}

// timed: the order of events follows from the answers.
func (s *shrinker) timed() bool { return s.runner.World().Mode() == sim.Timed }

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

// delayEvents gives neighbouring questions their last answer, in ever smaller chunks, in
// timed runs. There no event can be left out, but an event that does not matter may come
// so late that it is cut off.
//
// A candidate is cut off one step earlier than the best run. Otherwise some event of no
// interest takes the place of the late event, and the candidate is as long as
// the best run.
func (s *shrinker) delayEvents() {
	if !s.timed() {
		return
	}
	for size := s.best.answers() / 2; size >= 1; size /= 2 {
		for end := s.best.answers(); end > 0 && s.going(); {
			start := max(0, end-size)
			p := s.best.clone()
			if p.raise(start, end) && s.tryWithin(&p, len(s.best.steps)-1) {
				s.cutOff()
			}
			end = min(start, s.best.answers())
		}
	}
}

// cutOff takes steps from the end in ever larger strides, while the violation still shows.
func (s *shrinker) cutOff() {
	for stride := 1; stride < len(s.best.steps) && s.tryWithin(&s.best, len(s.best.steps)-stride); stride *= 2 {
	}
}

// lowerAnswers tries the first option for all questions at once, then for each
// one, and then ever higher options for the questions that need one.
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
				// No option up to value will do: go half of the way up.
				value += max(1, (lists[i][j].value-value)/2)
			}
		}
	}
}

// straighten brings forward the steps that the default choice would have taken
// first, which undoes interleavings that do not matter.
func (s *shrinker) straighten() {
	for i := 0; i < len(s.best.steps) && s.going(); i++ {
		steps := s.best.steps
		if steps[i].name == steps[i].byDefault {
			continue
		}
		for j := i + 1; j < len(steps); j++ {
			if steps[j].name != steps[i].byDefault {
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

// postpone takes a step out and puts it at the end of a shorter run: a step may
// be needed, but later than it comes now. It tries the shortest runs first and
// reports whether one will do. The number of candidates grows with the square of
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
