package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/scenarios/draws"
	"github.com/watchbed/watchbed/testbed"
)

// seedsOfDraw is how many schedules each draw gets if only --for bounds the campaign.
const seedsOfDraw = 64

// drawn is a campaign over draws of a scenario: each has as many seeds of its own.
type drawn struct {
	*runFlags
	scenario *testbed.Scenario
	// each is how many seeds a draw has.
	each uint64
	// outcome is what the draws came to beside what is known, failing are those that a
	// story is told of, in their order.
	outcome summary.Drawn
	failing []drawnFailures
	// found is called with each failure that a story is to be told of.
	found func(testbed.Params, campaign.FailureTally)
}

// drawnFailures are failures of one draw.
type drawnFailures struct {
	params   testbed.Params
	first    uint64
	failures []campaign.FailureTally
}

// newDrawn cuts the seeds into as many parts as there are draws, none of them empty.
func newDrawn(f *runFlags, sc *testbed.Scenario, found func(testbed.Params, campaign.FailureTally)) *drawn {
	d := &drawn{runFlags: f, scenario: sc, each: seedsOfDraw, found: found}
	if f.seedsCount > 0 {
		d.each = max(1, f.seedsCount/f.drawsCount)
	}
	return d
}

func (d *drawn) params(i uint64) (testbed.Params, error) {
	return draws.Of(d.scenario, d.firstDraw+i, d.apply)
}

// explore runs the schedules of all draws, and remembers in which draw each failure came
// first.
func (d *drawn) explore(ctx context.Context, cfg campaign.Config) (*campaign.Result, error) {
	series := campaign.Series{
		Campaigns: d.drawsCount, Each: d.each,
		Subject: func(i uint64) (func() explore.Subject, int, error) {
			p, err := d.params(i)
			if err != nil {
				return nil, 0, err
			}
			subjects, err := d.scenario.Subjects(p)
			return subjects, p.Clock.Steps, err
		},
		Ended: d.ended,
	}
	return series.Run(ctx, cfg)
}

// looked names the draws that the schedules of a campaign were of: FIRST..LAST. A limit may have ended it before the last.
func (d *drawn) looked(r *campaign.Result) string {
	n := max(1, (r.Schedules+d.each-1)/d.each)
	return fmt.Sprintf("%d..%d", d.firstDraw, d.firstDraw+n-1)
}

// ended adds what one draw came to. A failure that is known of its draw gives way to the
// same one of a later draw of which it is not known.
func (d *drawn) ended(i uint64, r *campaign.Result) {
	if len(r.Failures) == 0 {
		return
	}
	p, err := d.params(i)
	if err != nil {
		return
	}
	if tell := d.outcome.Add(d.scenario, &p, d.firstDraw+i, r.Failures); len(tell) > 0 {
		d.failing = append(d.failing, drawnFailures{p, d.first + i*d.each, slices.Clone(tell)})
		for _, tally := range tell {
			d.found(p, tally)
		}
	}
}

// diagnose looks at the failures of each draw with its own parameters. When the context is
// done those of further draws are left as they were found.
func (d *drawn) diagnose(ctx context.Context, live *progress, finder diagnosis.Finder, first *asFound, found *summary.Summary) ([]*keptRun, error) {
	var kept []*keptRun
	for _, f := range d.failing {
		if ctx.Err() != nil && len(kept) > 0 {
			break
		}
		finder.Params, finder.First, finder.Last = f.params, f.first, f.first+d.each-1
		more, err := d.runFlags.diagnose(ctx, live, &finder, first, f.failures, found)
		kept = append(kept, more...)
		if err != nil {
			return kept, err
		}
	}
	return kept, nil
}
