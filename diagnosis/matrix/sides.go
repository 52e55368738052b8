package matrix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// longest is how many times the seeds of a campaign are looked through for a claim that
// every campaign is known to violate, if it is long enough.
const longest = 60

// Sides says what to run of sides.
type Sides struct {
	Tool string
	// Scenarios are those of the catalogue if there are none.
	Scenarios []*testbed.Scenario
	Campaigns
}

// Fill fills catalogues, which have a name and a side. Each scenario runs with every side before the
// next one, so that what an interrupt leaves can be compared; an interrupt is no error.
func (cfg Sides) Fill(ctx context.Context, sides ...*Catalogue) error {
	if cfg.Scenarios == nil {
		cfg.Scenarios = testbed.Scenarios()
	}
	for _, c := range sides {
		c.Format, c.Tool, c.FirstSeed, c.Seeds, c.Runs = formatVersion, cfg.Tool, cfg.FirstSeed, cfg.Seeds, []*Run{}
	}
	x := &runner{Campaigns: cfg.Campaigns, start: time.Now(), total: len(cfg.Scenarios) * len(sides)}
	for _, sc := range cfg.Scenarios {
		for _, c := range sides {
			r, err := x.side(ctx, c, sc)
			if r != nil {
				c.Runs = append(c.Runs, r)
			}
			if errors.Is(err, errInterrupted) {
				for _, c := range sides {
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

// side runs a scenario with a side. The run is nil if there is none.
func (x *runner) side(ctx context.Context, of *Catalogue, sc *testbed.Scenario) (*Run, error) {
	if err := x.begins(ctx, of.Name+": "+sc.Name); err != nil {
		return nil, err
	}
	r := &Run{Scenario: sc.Name, FirstSeed: x.FirstSeed}
	p := sc.Params
	err := of.Side.Apply(&p)
	var subjects func() explore.Subject
	if err == nil {
		subjects, err = sc.Subjects(p)
	}
	if err == nil && x.timeIsOver() {
		err = errors.New("the time was over")
	}
	if err != nil {
		x.done++
		r.CannotRun = err.Error()
		return r, nil
	}
	cfg := x.campaign(sc.Name)
	cfg.Steps = p.Clock.Steps
	c, err := x.run(ctx, subjects, &p, cfg)
	if err != nil {
		return nil, err
	}
	r.Strategy, r.Schedules, r.CampaignHash, r.NeverReady = cfg.Strategy.Name, c.Schedules, c.Hash, c.NeverReady
	r.claims(sc, &p, c)
	told := &teller{sc, &p, explore.NewRunner(subjects(), p.Clock.Steps), cfg.Strategy}
	if err := r.tell(ctx, told, c); err != nil {
		return nil, err
	}
	interrupted := c.Interrupted
	if !interrupted && cfg.For == 0 {
		if interrupted, err = r.goOn(ctx, subjects, told, cfg); err != nil {
			return nil, err
		}
	}
	if isCost(sc.Name) {
		r.Cost = CostOf(sc.Name, c, "")
		r.Cost.Metrics = nil
	}
	if interrupted {
		return r, errInterrupted
	}
	return r, nil
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
			claim.Verdict = model.VerdictUnknown.String()
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

// OwnOptions are those that no setting of a matrix may change.
var OwnOptions = []string{"etcd", "cache", "steps"}

// Side is what is changed in the parameters of every scenario: a cell of the matrix, or what is compared. What is empty stays as
// the scenario has it.
type Side struct {
	Design   string   `json:"cache,omitempty"`
	Etcd     string   `json:"etcd,omitempty"`
	Settings []string `json:"settings,omitempty"`
}

// side joins what a matrix sets everywhere with what a version and a design have. The
// error names an option that two of them set differently.
func (cfg *Config) side(version, design string) (s Side, err error) {
	of, err := readVariant(version, OwnOptions)
	if err != nil {
		return s, err
	}
	with, err := readVariant(design, OwnOptions)
	if err != nil {
		return s, err
	}
	settings, err := JoinVariant(design+" on "+version, cfg.Params, of.Settings, with.Settings)
	s = Side{Design: with.Name, Etcd: of.Name}
	for _, set := range settings {
		s.Settings = append(s.Settings, set.String())
	}
	return s, err
}

// Apply changes the parameters of a scenario. Each call changes a copy of its own.
func (s *Side) Apply(p *testbed.Params) error {
	for _, text := range s.Settings {
		set, err := option.ParseSetting(text)
		if err != nil {
			return err
		}
		if err := p.Set(set.Name, set.Value); err != nil {
			return err
		}
	}
	if s.Etcd != "" {
		if err := p.Set("etcd", s.Etcd); err != nil {
			return err
		}
	}
	if s.Design != "" {
		return p.Set("cache", s.Design)
	}
	return nil
}

// command is the command line that runs a scenario with a side.
func (s *Side) command(program, scenario string) string {
	text := program + " run " + scenario
	if s.Etcd != "" {
		text += " --etcd " + recording.ShellWord(s.Etcd)
	}
	if s.Design != "" {
		text += " --cache " + s.Design
	}
	for _, set := range s.Settings {
		text += " --set " + set
	}
	return text
}

// withSeeds is a command line with a strategy and seeds.
func withSeeds(command, with string, first, last uint64) string {
	if with != strategy.Default().Name {
		command += " --strategy " + with
	}
	return fmt.Sprintf("%s --seeds %d..%d", command, first, last)
}
