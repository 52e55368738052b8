package matrix

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/testbed"
)

// Campaigns says how the campaigns of a matrix are run, or those of sides that are compared.
type Campaigns struct {
	// Seeds is how many seeds each campaign has, from FirstSeed on; 0 is no bound.
	// A campaign of cost has a tenth: each of its runs is long.
	FirstSeed, Seeds uint64
	// For is the wall-clock time for all of them; 0 is no bound.
	For     time.Duration
	Workers int
	// Progress, if not nil, is called before each campaign: done of total are over.
	// what is the cell or the side, and the scenario.
	Progress func(done, total int, what string)
}

// Seeds is how many seeds a campaign has unless something else is asked for: they keep a
// matrix of everything well below a minute.
const Seeds = 400

// costShare: a campaign of cost has one of so many seeds.
const costShare = 10

// CostSeeds is how many of so many seeds a campaign of cost has: each of its runs is long.
func CostSeeds(seeds uint64) uint64 { return (seeds + costShare - 1) / costShare }

func isCost(scenario string) bool { return slices.Contains(Costs, scenario) }

var errInterrupted = errors.New("interrupted")

// runner runs campaigns, one after another.
type runner struct {
	Campaigns
	start       time.Time
	done, total int
	schedules   uint64
}

// begins says what the next campaign is. It returns an error after an interrupt.
func (x *runner) begins(ctx context.Context, what string) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	if x.Progress != nil {
		x.Progress(x.done, x.total, what)
	}
	return nil
}

// campaign is that of a scenario. What a cost is measured with draws every delay evenly: what is measured means something.
func (x *runner) campaign(scenario string) campaign.Config {
	cfg := campaign.Config{Strategy: strategy.Default(), FirstSeed: x.FirstSeed, Seeds: x.Seeds, For: x.budget(), Workers: x.Workers}
	if isCost(scenario) {
		cfg.Strategy, cfg.Seeds = strategy.Random(), CostSeeds(x.Seeds)
	}
	return cfg
}

// run runs a campaign, which has no schedules if the time is over. An interrupt is no error.
func (x *runner) run(ctx context.Context, subjects func() explore.Subject, p *testbed.Params, cfg campaign.Config) (*campaign.Result, error) {
	x.done++
	if x.timeIsOver() {
		return &campaign.Result{FirstSeed: cfg.FirstSeed}, nil
	}
	c, err := campaign.Run(ctx, subjects, cfg)
	if err != nil {
		return nil, err
	}
	x.schedules += c.Schedules
	return c, summary.LeaveOutLacking(p, c)
}

// budget is the wall-clock time of the next campaign.
func (x *runner) budget() time.Duration {
	if x.For == 0 {
		return 0
	}
	return max(time.Millisecond, (x.For-time.Since(x.start))/time.Duration(max(1, x.total-x.done)))
}

// timeIsOver: what is still to be asked stays unknown. Even a campaign of one run would
// measure the length of runs first.
func (x *runner) timeIsOver() bool { return x.For > 0 && time.Since(x.start) >= x.For }
