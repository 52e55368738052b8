package matrix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Campaigns says how the campaigns of columns are run.
type Campaigns struct {
	// Program is the name with which the commands begin that show something again.
	Program string
	// Seeds is how many seeds each campaign has, from FirstSeed on; 0 is no bound.
	// A campaign of cost has a tenth: each of its runs is long.
	FirstSeed, Seeds uint64
	// For is the wall-clock time for all of them; 0 is no bound.
	For     time.Duration
	Workers int
	// Progress, if not nil, is called before each campaign: done of total are over.
	// what is the column and the scenario.
	Progress func(done, total int, what string)
}

// Seeds is how many seeds a campaign has unless something else is asked for: they keep a
// matrix of everything well below a minute.
const Seeds = 400

const (
	// costShare: a campaign of cost has one of so many seeds.
	costShare = 10
	// apartSeeds is how many times more seeds a scenario may take that tells a design from the others: it ends when it
	// has.
	apartSeeds = 10
	// longest is how many times the seeds of a campaign are looked through for a claim that
	// every campaign is known to violate, if it is long enough.
	longest = 60
	// shrinkChoices bounds what is spent on the shrinking of one run: half a second where a
	// run is long, and most of what shrinking takes away is gone by then.
	shrinkChoices = 60_000
)

// seedsOf is how many of so many seeds a campaign of a scenario has.
func seedsOf(scenario string, seeds uint64) uint64 {
	if isCost(scenario) {
		return (seeds + costShare - 1) / costShare
	}
	return seeds
}

// tooFew: the claim is known to be violated, and so few schedules need not show it. Those of a matrix that nothing cuts
// short do.
func (r *Run) tooFew(c *Claim) bool {
	return c.Missing() || c.holds() && c.Known && r.Schedules < seedsOf(r.Scenario, Seeds)
}

// TooFew reports whether it is of some claim.
func (r *Run) TooFew() bool { return slices.ContainsFunc(r.Claims, r.tooFew) }

var errInterrupted = errors.New("interrupted")

// slower is how much slower than the first side another one may be, and still run as many seeds.
const slower = 4

// runner runs campaigns, one after another.
type runner struct {
	Campaigns
	// tells: each way to fail has stories, and what every campaign is known to violate is looked for longer.
	tells       bool
	start       time.Time
	done, total int
	schedules   uint64
	// bound is how many seeds another side has run of the scenario, 0 if none has, and took how long.
	bound uint64
	took  time.Duration
}

// Fill runs scenarios with each of these columns, which have a name and a side. Each scenario runs with every side
// before the next one, so that what an interrupt leaves can be compared; an interrupt is no error. Where time is what
// bounds campaigns, the first side says how many seeds the others run: what behaves the same takes the same course.
// Without names all scenarios of the catalogue run.
func Fill(ctx context.Context, as Campaigns, names []string, columns ...*Column) error {
	scenarios := testbed.Scenarios()
	if len(names) > 0 {
		scenarios = nil
	}
	for _, name := range names {
		sc, err := testbed.FindScenario(name)
		if err != nil {
			return err
		}
		scenarios = append(scenarios, sc)
	}
	x := &runner{Campaigns: as, tells: true, start: time.Now(), total: len(scenarios) * len(columns)}
	for _, c := range columns {
		c.Runs = []*Run{}
	}
	for _, sc := range scenarios {
		x.bound = 0
		for _, c := range columns {
			begin := time.Now()
			r, err := x.run(ctx, c, sc, nil)
			if r != nil {
				c.Runs = append(c.Runs, r)
			}
			if r != nil && r.Schedules > x.bound {
				x.bound, x.took = r.Schedules, time.Since(begin)
			}
			if errors.Is(err, errInterrupted) {
				for _, c := range columns {
					c.Interrupted = true
				}
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs a scenario with a side: until it has violated these properties, if there are some, and for the sake of no
// others then. The run is nil if there is none.
func (x *runner) run(ctx context.Context, of *Column, sc *testbed.Scenario, until []string) (*Run, error) {
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	if x.Progress != nil {
		x.Progress(x.done, x.total, of.Name+": "+sc.Name)
	}
	q := &question{side: &of.Side, program: x.Program, tells: x.tells, scenario: sc, params: sc.Params, cfg: campaign.Config{
		Strategy: strategy.Default(), FirstSeed: x.FirstSeed, Seeds: seedsOf(sc.Name, x.Seeds), Workers: x.Workers,
	}}
	if isCost(sc.Name) {
		// It draws every delay evenly: what is measured means something.
		q.cfg.Strategy = strategy.Random()
	}
	if until != nil {
		q.cfg.Seeds, q.cfg.StopAfter = q.cfg.Seeds*apartSeeds, len(until)
	}
	err := of.Side.Apply(&q.params)
	q.cfg.Steps = q.params.Clock.Steps
	if err == nil {
		q.subjects, err = sc.Subjects(q.params)
	}
	if x.For > 0 {
		left := x.For - time.Since(x.start)
		q.cfg.For = max(time.Millisecond, left/time.Duration(max(1, x.total-x.done)))
		if x.bound > 0 {
			q.cfg.Seeds, q.cfg.For = x.bound, slower*x.took
		} else if err == nil && left <= 0 {
			// Even a campaign of one run would measure the length of runs first.
			err = errors.New("the time was over")
		}
	}
	x.done++
	if err != nil {
		r := &Run{Scenario: sc.Name, FirstSeed: x.FirstSeed, CannotRun: err.Error(), Command: q.command(x.FirstSeed, x.FirstSeed)}
		for _, claim := range sc.Claims {
			if until == nil || slices.Contains(until, claim.Name) {
				r.Claims = append(r.Claims, &Claim{Property: claim.Name, Verdict: model.VerdictUnknown})
			}
		}
		return r, nil
	}
	for _, race := range q.params.Masked() {
		of.Masked = registry.With(of.Masked, race.Option)
	}
	q.known = summary.KnownOf(sc, &q.params)
	r, err := q.run(ctx, until)
	if r != nil {
		x.schedules += r.Schedules
	}
	return r, err
}

// question is a scenario that is put to a side.
type question struct {
	side     *Side
	program  string
	tells    bool
	scenario *testbed.Scenario
	params   testbed.Params
	known    []summary.Known
	subjects func() explore.Subject
	cfg      campaign.Config
}

func (q *question) command(first, last uint64) string {
	return withSeeds(q.side.command(q.program, q.scenario.Name), q.cfg.Strategy.Name, first, last)
}

func (q *question) run(ctx context.Context, until []string) (*Run, error) {
	c, err := campaign.Run(ctx, q.subjects, q.cfg)
	if err != nil {
		return nil, err
	}
	if err := summary.LeaveOutLacking(&q.params, c); err != nil {
		return nil, err
	}
	r := &Run{
		Scenario: q.scenario.Name, Strategy: q.cfg.Strategy.Name, FirstSeed: c.FirstSeed, Schedules: c.Schedules, CampaignHash: c.Hash, NeverReady: c.NeverReady,
		Command: q.command(c.FirstSeed, c.FirstSeed+max(c.Schedules, 1)-1),
	}
	for _, t := range c.Properties {
		if until == nil || slices.Contains(until, t.Name) {
			r.Claims = append(r.Claims, q.claim(&t, c))
		}
	}
	if isCost(r.Scenario) {
		r.Cost = CostOf(c)
	}
	if err := q.fail(ctx, r.Claims, c); err != nil {
		return nil, err
	}
	interrupted := c.Interrupted
	for range longest - 1 {
		missing := slices.DeleteFunc(slices.Clone(r.Claims), func(claim *Claim) bool { return !claim.Missing() })
		if len(missing) == 0 || interrupted || !q.tells || q.cfg.For > 0 {
			break
		}
		q.cfg.FirstSeed += q.cfg.Seeds
		c, err := campaign.Run(ctx, q.subjects, q.cfg)
		if err != nil {
			return nil, err
		}
		for _, claim := range missing {
			claim.Schedules += c.Schedules
			for _, t := range c.Properties {
				if t.Name == claim.Property && t.Violations > 0 {
					claim.Verdict, claim.Violations = t.Verdict, t.Violations
				}
			}
		}
		if err := q.fail(ctx, missing, c); err != nil {
			return nil, err
		}
		interrupted = c.Interrupted
	}
	if interrupted {
		return r, errInterrupted
	}
	return r, nil
}

// claim is what a campaign says of a property, and what is known.
func (q *question) claim(t *campaign.PropertyTally, c *campaign.Result) *Claim {
	claim := &Claim{Property: t.Name, Verdict: t.Verdict, Exercised: t.Exercised, Violations: t.Violations, Schedules: c.Schedules}
	if c.Schedules == 0 || t.Verdict == model.Holds && (c.Truncated > 0 || c.Interrupted) {
		claim.Verdict = model.VerdictUnknown
	}
	for _, k := range q.known {
		if k.Property == t.Name {
			claim.Known, claim.Rarely, claim.Because = true, k.Rarely, k.Because
		}
	}
	return claim
}

// fail adds the ways to fail to the claims, and puts the claims first that say most about the cause: what the run of
// the seed tells first.
func (q *question) fail(ctx context.Context, claims []*Claim, c *campaign.Result) error {
	var plainest []string
	for _, f := range summary.PlainestFirst(q.known, &q.params, c.Failures) {
		claim := find(claims, func(c *Claim) bool { return c.Property == f.Failure.Property })
		if claim == nil {
			continue
		}
		w := Way{Label: f.Failure.Label, Seed: f.FirstSeed, Schedules: f.Schedules, Command: q.command(f.FirstSeed, f.FirstSeed)}
		if q.tells {
			if err := q.tell(ctx, &w, &f); err != nil {
				return err
			}
		}
		claim.Ways = append(claim.Ways, w)
		plainest = registry.With(plainest, claim.Property)
	}
	slices.Reverse(plainest)
	slices.SortStableFunc(claims, func(a, b *Claim) int {
		return cmp.Compare(slices.Index(plainest, b.Property), slices.Index(plainest, a.Property))
	})
	return nil
}

// tell adds to a way to fail the stories of its first runs. Each is shrunk: without that it tells much that only
// happens beside the violation.
func (q *question) tell(ctx context.Context, w *Way, f *campaign.FailureTally) error {
	runner := explore.NewRunner(q.subjects(), q.cfg.Steps)
	for i, seed := range append([]uint64{f.FirstSeed}, f.Further...) {
		rec, _ := recording.RecordSeed(runner, q.cfg.Strategy, seed)
		if i == 0 {
			w.Why = rec.Why(f.Failure)
		}
		if ctx.Err() != nil {
			return nil
		}
		rec.Scenario, rec.Parameters = q.scenario.Name, q.params.Expand()
		small, err := recording.Shrink(ctx, runner, rec, f.Failure, max(1, shrinkChoices/len(rec.Choices)))
		var told *story.Story
		if err == nil {
			told, err = story.Tell(q.scenario, small.Recording, f.Failure)
		}
		if err != nil {
			return fmt.Errorf("%s, seed %d, %s: %w", q.scenario.Name, seed, f.Failure, err)
		}
		w.add(told)
	}
	return nil
}
