package diagnosis

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Finder makes a small run of each failure of one campaign, and explains it.
type Finder struct {
	Scenario *testbed.Scenario
	Params   testbed.Params
	Strategy strategy.Strategy
	// First and Last are the first and the last seed of the campaign.
	First, Last uint64
	// Shrink: without it the runs stay as they were found.
	Shrink bool
	// Limit is how long all failures together are shrunk, 0 for as long as it takes. What is left to shrink then is
	// told as it is.
	Limit time.Duration
	// Tool is written into the recordings.
	Tool string
	// Progress, if not nil, is called before the failure with this number, from 1
	// to total, is looked at.
	Progress func(f explore.Failure, number, total int)
	// Found, if not nil, is called with each diagnosis as soon as there is one.
	Found func(*Diagnosis)
}

// How much is done to find a small run. Shrinking stops at the nearest run that no
// small step makes smaller, so the first few seeds that fail in one way lead to
// runs of different size.
const (
	firstCandidates = 4
	laterCandidates = 1
	searchSeeds     = 2_000
	shrinkRuns      = 4_000
	longRunSteps    = 400
)

// Unshrunk records the first run that fails in this way, as the campaign ran it.
func (f *Finder) Unshrunk(tally campaign.FailureTally) (*recording.Recording, error) {
	runner, err := f.Scenario.Runner(f.Params)
	if err != nil {
		return nil, err
	}
	return f.record(runner, &f.Params, tally.FirstSeed), nil
}

// record records the run of a seed with these parameters.
func (f *Finder) record(runner *explore.Runner, p *testbed.Params, seed uint64) *recording.Recording {
	rec, _ := recording.RecordSeed(runner, f.Strategy, seed)
	rec.Tool, rec.Scenario, rec.Parameters = f.Tool, f.Scenario.Name, p.Expand()
	return rec
}

// Find diagnoses the failures of the campaign, those first that say most about
// the cause. A failure that the run of an earlier diagnosis shows as well has no
// run of its own: it is in that one's Also. When the context is done the first failure is
// told all the same, with less shrinking and perhaps without what decides, and the others are left out.
func (f *Finder) Find(ctx context.Context, failures []campaign.FailureTally) ([]*Diagnosis, error) {
	var found []*Diagnosis
	shrinking := ctx
	if f.Limit > 0 {
		var stop context.CancelFunc
		shrinking, stop = context.WithTimeout(ctx, f.Limit)
		defer stop()
	}
	for i, tally := range summary.PlainestFirst(summary.KnownOf(f.Scenario, &f.Params), &f.Params, failures) {
		if d := showing(found, tally.Failure); d != nil {
			d.Also = append(d.Also, tally.Failure)
			continue
		}
		if ctx.Err() != nil && len(found) > 0 {
			continue
		}
		if f.Progress != nil {
			f.Progress(tally.Failure, i+1, len(failures))
		}
		candidates := laterCandidates
		if len(found) == 0 {
			candidates = firstCandidates
		}
		d, err := f.diagnose(ctx, shrinking, tally, candidates)
		if err != nil {
			return found, err
		}
		d.Stopped = f.Shrink && shrinking.Err() != nil
		found = append(found, d)
		if f.Found != nil {
			f.Found(d)
		}
	}
	return found, nil
}

// showing is the diagnosis whose run fails in this way as well, nil if there is
// none.
func showing(found []*Diagnosis, f explore.Failure) *Diagnosis {
	for _, d := range found {
		if slices.Contains(d.Recording.Violations(), f) {
			return d
		}
	}
	return nil
}

// diagnose makes a small run that fails in one way, and explains it. With less work another
// cause may show as the same failure, or the runs be too short to tell what decides. So if no
// setting decides then, and one does with all the work, the run is one with all the work. Waits
// are made shorter last, when it is known what has to go on to decide.
func (f *Finder) diagnose(ctx, shrinking context.Context, tally campaign.FailureTally, candidates int) (*Diagnosis, error) {
	p, first := f.Params, tally.FirstSeed
	if f.Shrink {
		p, first = f.fewer(shrinking, tally)
	}
	less, seed := p, first
	if f.Shrink && f.keepsAll(p, first, tally.Failure) {
		less, seed = f.lessWork(shrinking, p, first, tally)
	}
	d, err := f.explain(ctx, shrinking, less, seed, tally, candidates)
	if err == nil && d.Decision == nil && less.Workload != p.Workload && shrinking.Err() == nil {
		var whole *Diagnosis
		if whole, err = f.explain(ctx, shrinking, p, first, tally, candidates); err == nil && whole.Decision != nil {
			d = whole
		}
	}
	if err != nil {
		return nil, err
	}
	if f.Shrink {
		d = f.ofOneKey(ctx, shrinking, d, p, tally, candidates)
	}
	if f.Shrink && p.Clock.Mode == sim.Timed {
		d = f.shorterWaits(shrinking, d, tally)
	}
	d.Keep()
	return d, nil
}

// explain explains the smallest run with these parameters.
func (f *Finder) explain(ctx, shrinking context.Context, p testbed.Params, first uint64, tally campaign.FailureTally, candidates int) (*Diagnosis, error) {
	rec, err := f.smallest(shrinking, p, first, tally.Failure, candidates)
	if err != nil {
		return nil, err
	}
	return Until(ctx, f.Scenario, rec, tally.Failure)
}

// smallest is the smallest run that shrinking makes of the first few seeds.
func (f *Finder) smallest(ctx context.Context, p testbed.Params, first uint64, failure explore.Failure, candidates int) (*recording.Recording, error) {
	runner, err := f.Scenario.Runner(p)
	if err != nil {
		return nil, err
	}
	var smallest *recording.Recording
	for _, seed := range f.seeds(ctx, runner, failure, first, candidates) {
		rec := f.record(runner, &p, seed)
		if f.Shrink {
			runs := shrinkRuns
			if len(rec.Choices) > longRunSteps {
				runs /= 2
			}
			if small, err := recording.Shrink(ctx, runner, rec, failure, runs); err == nil {
				rec = small.Recording
			}
		}
		if smallest == nil || len(rec.Choices) < len(smallest.Choices) {
			smallest = rec
		}
		if ctx.Err() != nil {
			break
		}
	}
	return smallest, nil
}

// seeds are the first few that fail in this way, of which the first is known;
// without shrinking it is the only one.
func (f *Finder) seeds(ctx context.Context, runner *explore.Runner, failure explore.Failure, first uint64, candidates int) []uint64 {
	found := []uint64{first}
	if !f.Shrink {
		return found
	}
	chooser := f.Strategy.For(runner)
	for seed := first + 1; seed <= f.Last && seed < first+searchSeeds && len(found) < candidates && ctx.Err() == nil; seed++ {
		chooser.Begin(seed)
		result := runner.Run(chooser)
		if result.Find(failure) != nil {
			found = append(found, seed)
		}
	}
	return found
}

// Nearest is the run beside the failing one: it passes, and differs in as little as
// was found.
type Nearest struct {
	Recording *recording.Recording
	// Difference says in a few words what is different.
	Difference string
}

// Nearest is the recorded schedule with what decides taken away or, if nothing
// decides, the nearest schedule that passes; nil if there is none.
func (d *Diagnosis) Nearest() (*Nearest, error) {
	switch {
	case d.Decision != nil:
		p, difference := d.Decision.Passing()
		follower, err := recording.NewFollower(d.Recording)
		if err != nil {
			return nil, err
		}
		return d.passing(p, follower, difference)
	case d.Turning != nil && d.Turning.Nearest != nil:
		p, err := d.scenario.RecordedParams(d.Recording.Parameters)
		if err != nil {
			return nil, err
		}
		runner, err := d.scenario.Runner(p)
		if err != nil {
			return nil, err
		}
		chooser, err := d.Turning.Passing(runner, d.Recording)
		if err != nil {
			return nil, err
		}
		difference := fmt.Sprintf("step %d takes another course: %s", d.Turning.Nearest.Step, d.Turning.Other)
		if d.Turning.Other == "" {
			difference = fmt.Sprintf("other courses from step %d on", d.Turning.Nearest.Step)
		}
		return d.passing(p, chooser, difference)
	}
	return nil, nil
}

// passing records what a chooser makes of these parameters, nil if that is violated as
// well.
func (d *Diagnosis) passing(p testbed.Params, c sim.Chooser, difference string) (*Nearest, error) {
	runner, err := d.scenario.Runner(p)
	if err != nil {
		return nil, err
	}
	rec, result := recording.Record(runner, c)
	rec.Scenario, rec.Parameters = d.scenario.Name, p.Expand()
	if result.Verdict(d.Failure.Property) == model.Violated {
		return nil, nil
	}
	return &Nearest{rec, difference}, nil
}

// Scenario is that of the recording.
func (d *Diagnosis) Scenario() *testbed.Scenario { return d.scenario }
