package compare

import (
	"context"
	"slices"
	"time"

	"github.com/watchbed/watchbed/diagnosis/matrix"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Config says what to run.
type Config struct {
	Tool string
	// Scenarios are those of the catalogue if there are none.
	Scenarios []*testbed.Scenario
	// Seeds is how many seeds each campaign has, from FirstSeed on; 0 is no bound. A
	// campaign of cost has a tenth: each of its runs is long.
	FirstSeed, Seeds uint64
	// For is the wall-clock time for all sides; 0 is no bound.
	For     time.Duration
	Workers int
	// Progress, if not nil, is called before each campaign: done of total are over. what is
	// the side and the scenario.
	Progress func(done, total int, what string)
}

// Seeds is how many seeds a campaign has unless something else is asked for.
const Seeds = matrix.Seeds

// longest is how many times the seeds of a campaign are looked through for a claim that
// every campaign is known to violate, if it is long enough.
const longest = 60

func defaultStrategy() string { return strategy.Default().Name }

// Explore fills catalogues, which have a name and a side. Each scenario runs with every side before the
// next one, so that what an interrupt leaves can be compared; an interrupt is no error.
func Explore(ctx context.Context, cfg Config, sides ...*Catalogue) error {
	if cfg.Scenarios == nil {
		cfg.Scenarios = testbed.Scenarios()
	}
	for _, c := range sides {
		c.Format, c.Tool, c.FirstSeed, c.Seeds, c.Runs = formatVersion, cfg.Tool, cfg.FirstSeed, cfg.Seeds, []*Run{}
	}
	start := time.Now()
	total := len(cfg.Scenarios) * len(sides)
	for done := range total {
		sc, c := cfg.Scenarios[done/len(sides)], sides[done%len(sides)]
		interrupted := ctx.Err() != nil
		if !interrupted {
			if cfg.Progress != nil {
				cfg.Progress(done, total, c.Name+": "+sc.Name)
			}
			var r *Run
			var err error
			if r, interrupted, err = cfg.run(ctx, c.Side, sc, cfg.budget(start, total-done)); err != nil {
				return err
			}
			c.Runs = append(c.Runs, r)
		}
		if interrupted {
			for _, c := range sides {
				c.Interrupted = true
			}
			return nil
		}
	}
	return nil
}

// budget is the wall-clock time of the next of so many campaigns; negative if it is over.
func (cfg *Config) budget(start time.Time, left int) time.Duration {
	if cfg.For == 0 {
		return 0
	}
	rest := cfg.For - time.Since(start)
	if rest <= 0 {
		return -1
	}
	return max(time.Millisecond, rest/time.Duration(left))
}

func (cfg *Config) run(ctx context.Context, side Side, sc *testbed.Scenario, budget time.Duration) (r *Run, interrupted bool, err error) {
	r = &Run{Scenario: sc.Name, FirstSeed: cfg.FirstSeed}
	p := sc.Params
	err = side.Apply(&p)
	var subjects func() explore.Subject
	if err == nil {
		subjects, err = sc.Subjects(p)
	}
	switch {
	case err != nil:
		r.CannotRun = err.Error()
		return r, false, nil
	case budget < 0:
		r.CannotRun = "the time was over"
		return r, false, nil
	}
	chosen, seeds := strategy.Default(), cfg.Seeds
	cost := slices.Contains(matrix.Costs, sc.Name)
	if cost {
		// Every delay is drawn evenly: what is measured means something.
		chosen, seeds = strategy.Random(), matrix.CostSeeds(cfg.Seeds)
	}
	campaigns := campaign.Config{Strategy: chosen, FirstSeed: cfg.FirstSeed, Seeds: seeds, For: budget, Workers: cfg.Workers, Steps: p.Clock.Steps}
	c, err := campaign.Run(ctx, subjects, campaigns)
	if err != nil {
		return r, false, err
	}
	if err := summary.LeaveOutLacking(&p, c); err != nil {
		return r, false, err
	}
	r.Strategy, r.Schedules, r.CampaignHash, r.NeverReady = chosen.Name, c.Schedules, c.Hash, c.NeverReady
	r.claims(sc, &p, c)
	told := &teller{sc, &p, explore.NewRunner(subjects(), p.Clock.Steps), chosen}
	if err := r.tell(ctx, told, c); err != nil {
		return r, false, err
	}
	interrupted = c.Interrupted
	if !interrupted && budget == 0 {
		interrupted, err = r.goOn(ctx, subjects, told, campaigns)
		if err != nil {
			return r, false, err
		}
	}
	if cost {
		r.Cost = matrix.CostOf(sc.Name, c, "")
		r.Cost.Metrics = nil
	}
	return r, interrupted, nil
}

// goOn runs as many seeds again, and again, until each claim that every campaign is known to
// violate is violated: some show once in a thousand schedules.
func (r *Run) goOn(ctx context.Context, subjects func() explore.Subject, told *teller, cfg campaign.Config) (interrupted bool, err error) {
	for range longest - 1 {
		missing := slices.DeleteFunc(slices.Clone(r.Claims), func(claim *Claim) bool { return !claim.holds() || !claim.Known || claim.Rarely })
		if len(missing) == 0 {
			return false, nil
		}
		cfg.FirstSeed += cfg.Seeds
		c, err := campaign.Run(ctx, subjects, cfg)
		if err != nil {
			return false, err
		}
		for _, claim := range missing {
			claim.Schedules += c.Schedules
			for _, t := range c.Properties {
				if t.Name == claim.Property && t.Violations > 0 {
					claim.Verdict, claim.Violations = t.Verdict.String(), t.Violations
				}
			}
		}
		c.Failures = slices.DeleteFunc(c.Failures, func(f campaign.FailureTally) bool {
			return !slices.ContainsFunc(missing, func(claim *Claim) bool { return claim.Property == f.Failure.Property })
		})
		if err := r.tell(ctx, told, c); err != nil {
			return false, err
		}
		if c.Interrupted {
			return true, nil
		}
	}
	return false, nil
}

// claims takes down what a campaign says of each property, and what is known.
func (r *Run) claims(sc *testbed.Scenario, p *testbed.Params, c *campaign.Result) {
	all := summary.KnownOf(sc, p)
	for _, t := range c.Properties {
		claim := &Claim{Property: t.Name, Verdict: t.Verdict.String(), Violations: t.Violations, Schedules: c.Schedules}
		if t.Verdict == model.Holds && (c.Truncated > 0 || c.Interrupted) {
			claim.Verdict = model.Undecided.String()
		}
		for _, k := range all {
			if k.Property == t.Name {
				claim.Known, claim.Rarely, claim.Because = true, k.Rarely, k.Because
			}
		}
		r.Claims = append(r.Claims, claim)
	}
}

// tell adds the ways to fail to the claims, each with stories of its first runs.
func (r *Run) tell(ctx context.Context, told *teller, c *campaign.Result) error {
	for i := range c.Failures {
		claim := r.claim(c.Failures[i].Failure.Property)
		if claim == nil {
			continue
		}
		w, err := told.way(ctx, &c.Failures[i])
		if err != nil {
			return err
		}
		claim.Ways = append(claim.Ways, w)
	}
	return nil
}
