package main

import (
	"context"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/scenarios"
)

// telling is a way to fail with its smallest run.
type telling struct {
	failure explore.Failure
	rec     *explore.Recording
	story   *report.Story
	// path is the replay file; err says why there is none.
	path string
	err  error
}

// How much is done to find a small run: the first few seeds that fail in a way
// lead to runs of different size, since shrinking stops at the nearest one that
// no small step makes smaller.
const (
	firstStory   = 4
	otherStories = 1
	searchSeeds  = 2_000
	shrinkRuns   = 4_000
	longRunSteps = 400
)

// finder looks for small runs of one campaign's failures.
type finder struct {
	scenario *scenarios.Scenario
	params   scenarios.Params
	strategy explore.Strategy
	last     uint64
	shrink   bool
	// candidates is how many seeds are tried for the next story.
	candidates int
}

// shown returns the telling whose run fails in this way as well, if there is
// one: then there is no need for another run.
func shown(told []*telling, f explore.Failure) *telling {
	for _, t := range told {
		if slices.Contains(t.rec.Violations(), f) {
			return t
		}
	}
	return nil
}

// tell finds the smallest run that fails in one way, and tells it.
func (f *finder) tell(ctx context.Context, tally explore.FailureTally) (*telling, error) {
	system, err := f.scenario.New(f.params)
	if err != nil {
		return nil, err
	}
	runner := explore.NewRunner(system, f.params.Steps)
	t := &telling{failure: tally.Failure}
	for _, seed := range f.seeds(runner, tally) {
		rec, _ := explore.RecordSeed(runner, f.strategy, seed)
		rec.Tool = "watchbed " + version()
		rec.Scenario = f.scenario.Name
		rec.Parameters = parametersOf(&f.params)
		if f.shrink {
			runs := shrinkRuns
			if len(rec.Choices) > longRunSteps {
				runs /= 2
			}
			small, err := explore.Shrink(ctx, runner, rec, tally.Failure, runs)
			if err == nil {
				rec = small.Recording
			}
		}
		if t.rec == nil || len(rec.Choices) < len(t.rec.Choices) {
			t.rec = rec
		}
		if ctx.Err() != nil {
			break
		}
	}
	if t.story, err = report.Tell(f.scenario, t.rec, tally.Failure); err != nil {
		return nil, err
	}
	for i := range t.rec.Findings {
		if x := &t.rec.Findings[i]; x.Property == tally.Failure.Property && x.Label == tally.Failure.Label {
			x.Story = t.story.Strings()
		}
	}
	return t, nil
}

// seeds are the first few that fail in this way.
func (f *finder) seeds(runner *explore.Runner, tally explore.FailureTally) []uint64 {
	found := []uint64{tally.FirstSeed}
	if !f.shrink {
		return found
	}
	chooser := f.strategy.Chooser(runner.Profile())
	for seed := tally.FirstSeed + 1; seed <= f.last && seed < tally.FirstSeed+searchSeeds && len(found) < f.candidates; seed++ {
		chooser.Begin(seed)
		result := runner.Run(chooser)
		if result.Find(tally.Failure) != nil {
			found = append(found, seed)
		}
	}
	return found
}

func parametersOf(p *scenarios.Params) []explore.Parameter {
	var list []explore.Parameter
	for _, x := range p.Expand() {
		list = append(list, explore.Parameter{Name: x.Name, Value: x.Value})
	}
	return list
}

// byWeight puts the failures first that say most about the cause: data that is
// missing before a revision that is too old, and reads before watches.
func byWeight(list []explore.FailureTally) []explore.FailureTally {
	order := []string{"linearizable-data", "linearizable", "answers", "read-your-writes", "monotonic", "sequential", "reliable", "bookmarkable"}
	weight := func(t explore.FailureTally) int {
		if i := slices.Index(order, t.Failure.Property); i >= 0 {
			return i
		}
		return len(order)
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b explore.FailureTally) int { return weight(a) - weight(b) })
	return sorted
}
