package diagnosis

import (
	"context"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"
)

// fewer are parameters with one informer, if that will do, and fewer faults that still
// give the failure, and the first seed that does. In a timed run shrinking cannot leave
// an informer out: it can only make what it does come later. Other API servers stay,
// since a scenario may be about them, and one shows the same failure in another way.
func (f *Finder) fewer(ctx context.Context, tally campaign.FailureTally) (testbed.Params, uint64) {
	p, first := f.Params, tally.FirstSeed
	if p.Informers.Count > 1 {
		one := p
		one.Informers.Count = 1
		if seed, ok := f.find(one, tally); ok {
			p, first = one, seed
		}
	}
	return f.fewerFaults(ctx, p, first, tally)
}

// fewerFaults are parameters with no fault of a kind if that will do, or one, and the
// first seed that gives the failure. Shrinking a run drops the steps that it does not
// need, but a fault at the beginning of a run may save the steps of a start, so that the
// run with the fault is the shorter one, and says less.
//
// A fault that was needed beside others may be needed no more once those are gone, so
// the faults are tried again until all are needed.
func (f *Finder) fewerFaults(ctx context.Context, p testbed.Params, first uint64, tally campaign.FailureTally) (testbed.Params, uint64) {
	for {
		fewer, seed, found := f.withoutSome(ctx, p, tally)
		if !found {
			return p, first
		}
		p, first = fewer, seed
	}
}

// withoutSome tries to do without each kind of fault once.
func (f *Finder) withoutSome(ctx context.Context, p testbed.Params, tally campaign.FailureTally) (fewer testbed.Params, first uint64, found bool) {
	for _, fault := range p.Faults.Set() {
		without := p
		var err error
		if without.Faults, err = p.Faults.Without(fault.Name); err != nil || ctx.Err() != nil {
			continue
		}
		if seed, ok := f.find(without, tally); ok {
			p, first, found = without, seed, true
			continue
		}
		once, less := p.Faults.Once(fault.Name)
		if !less {
			continue
		}
		without.Faults = once
		if seed, ok := f.find(without, tally); ok {
			p, first, found = without, seed, true
		}
	}
	return p, first, found
}

// How far a failure is looked for with fewer faults: so many times as many schedules
// as there are for each that fails with all faults, but at least so many, and so many
// choices.
const (
	fewerSchedules = 8
	leastSchedules = 300
	fewerChoices   = 1_000_000
)

// find looks for the first seed that fails in this way with other parameters.
func (f *Finder) find(p testbed.Params, tally campaign.FailureTally) (seed uint64, found bool) {
	system, err := f.Scenario.New(p)
	if err != nil {
		return 0, false
	}
	runner := explore.NewRunner(system, p.Clock.Steps)
	chooser := f.Strategy.For(runner)
	choices := uint64(0)
	limit := min(searchSeeds, max(leastSchedules, fewerSchedules*(f.Last-f.First+1)/max(1, tally.Schedules)))
	for seed := f.First; seed < f.First+limit && choices < fewerChoices; seed++ {
		chooser.Begin(seed)
		result := runner.Run(chooser)
		if result.Find(tally.Failure) != nil {
			return seed, true
		}
		choices += result.Stats.Choices
	}
	return 0, false
}
