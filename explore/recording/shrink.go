package recording

import (
	"context"
	"fmt"

	"github.com/watchbed/watchbed/explore"
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
