package diagnosis

import (
	"context"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
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
		if seed, ok := f.find(ctx, one, tally, fewerSearch); ok {
			p, first = one, seed
		}
	}
	return f.fewerFaults(ctx, p, first, tally)
}

// manyChoices are those of a run whose story is about a page long.
const manyChoices = 60

// ofOneKey is the run of d, or a smaller one in which all clients that update write one key. They go round the keys and
// write each in every way, and a run cannot leave out what comes before: two of them meet sooner on one key.
func (f *Finder) ofOneKey(ctx, shrinking context.Context, d *Diagnosis, p testbed.Params, tally campaign.FailureTally, candidates int) *Diagnosis {
	if len(d.Recording.Choices) < manyChoices || p.Workload.Updating.Clients == 0 || p.Workload.Keys < 2 {
		return d
	}
	p.Workload.Keys = 1
	seed, found := f.find(shrinking, p, tally, fewerSearch)
	if !found {
		return d
	}
	one, err := f.explain(ctx, shrinking, p, seed, tally, candidates)
	if err != nil || len(one.Recording.Choices) >= len(d.Recording.Choices) || d.Decision != nil && one.Decision == nil {
		return d
	}
	return one
}

// keepsAll reports whether shrinking cannot leave an operation out of the run of a seed: it is
// timed, or the violation shows only where nothing more can happen.
func (f *Finder) keepsAll(p testbed.Params, seed uint64, failure explore.Failure) bool {
	if p.Clock.Mode == sim.Timed {
		return true
	}
	runner, err := f.Scenario.Runner(p)
	if err != nil {
		return false
	}
	chooser := f.Strategy.For(runner)
	chooser.Begin(seed)
	rec, whole := recording.Record(runner, chooser)
	if whole.Truncated {
		return false
	}
	chooser.Begin(seed)
	short := runner.RunUpTo(chooser, rec.Steps()-1)
	return short.Find(failure) == nil
}

// lessWork are parameters with fewer clients that do less, as long as a seed is soon found
// that gives the failure, and that seed. A fault that was needed beside more work is tried
// again.
func (f *Finder) lessWork(ctx context.Context, p testbed.Params, first uint64, tally campaign.FailureTally) (testbed.Params, uint64) {
	for _, amount := range workload.Amounts() {
		less, err := p.Workload.Less(amount)
		if err != nil {
			panic(err) // an option that is a number
		}
		for _, w := range less {
			if ctx.Err() != nil {
				return p, first
			}
			with := p
			with.Workload = w
			if seed, ok := f.find(ctx, with, tally, lessSearch); ok {
				p, first = with, seed
				break
			}
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
		if seed, ok := f.find(ctx, without, tally, fewerSearch); ok {
			p, first, found = without, seed, true
			continue
		}
		once, less := p.Faults.Once(fault.Name)
		if !less {
			continue
		}
		without.Faults = once
		if seed, ok := f.find(ctx, without, tally, fewerSearch); ok {
			p, first, found = without, seed, true
		}
	}
	return p, first, found
}

// reach is how far a failure is looked for with other parameters: so many times as many
// schedules as there are for each that fails with those of the campaign, but at least so
// many, and so many choices.
type reach struct{ times, least, choices uint64 }

// There are more workloads than kinds of faults, and less work is no end in itself.
var (
	fewerSearch = reach{times: 8, least: 300, choices: 1_000_000}
	lessSearch  = reach{times: 2, least: 40, choices: 200_000}
)

// find looks for the first seed that fails in this way with other parameters.
func (f *Finder) find(ctx context.Context, p testbed.Params, tally campaign.FailureTally, within reach) (seed uint64, found bool) {
	runner, err := f.Scenario.Runner(p)
	if err != nil {
		return 0, false
	}
	chooser := f.Strategy.For(runner)
	choices := uint64(0)
	limit := min(searchSeeds, max(within.least, within.times*(f.Last-f.First+1)/max(1, tally.Schedules)))
	for seed := f.First; seed < f.First+limit && choices < within.choices && ctx.Err() == nil; seed++ {
		chooser.Begin(seed)
		result := runner.Run(chooser)
		if result.Find(tally.Failure) != nil {
			return seed, true
		}
		choices += result.Stats.Choices
	}
	return 0, false
}
