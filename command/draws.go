package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"
)

// seedsOfDraw is how many schedules each draw gets if only --for bounds the campaign.
const seedsOfDraw = 64

// drawn is a campaign over draws of a scenario: each has as many seeds of its own.
type drawn struct {
	*explored
	// each is how many seeds a draw has.
	each uint64
	// outcome is the result of the draws beside the known violations, failing are the failures
	// with a story, in their order.
	outcome summary.Drawn
	failing []drawnFailures
}

// drawnFailures are failures of one draw.
type drawnFailures struct {
	params   testbed.Params
	first    uint64
	failures []campaign.FailureTally
}

// newDrawn cuts the seeds into as many parts as there are draws, none of them empty.
func newDrawn(x *explored) *drawn {
	d := &drawn{explored: x, each: seedsOfDraw}
	if x.seedsCount > 0 {
		d.each = max(1, x.seedsCount/x.drawsCount)
	}
	return d
}

func (d *drawn) params(i uint64) (testbed.Params, error) {
	return d.scenario.Draw(d.firstDraw+i, d.apply)
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

// looked names the draws that the schedules of a campaign were of: FIRST..LAST. A limit may have ended it before the
// last.
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
		d.failing = append(d.failing, drawnFailures{p, d.runFlags.first + i*d.each, slices.Clone(tell)})
		for _, tally := range tell {
			of := d.finder
			of.Params = p
			d.explored.first.keep(&of, tally)
		}
	}
}

// diagnose looks at the failures of each draw with its own parameters. When the context is
// done those of further draws are left as they were found.
func (d *drawn) diagnose(ctx context.Context) error {
	for _, f := range d.failing {
		if ctx.Err() != nil && len(d.kept) > 0 {
			break
		}
		finder := d.finder
		finder.Params, finder.First, finder.Last = f.params, f.first, f.first+d.each-1
		if err := d.diagnoseAll(ctx, finder, f.failures); err != nil {
			return err
		}
	}
	return nil
}
