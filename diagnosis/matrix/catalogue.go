package matrix

import (
	"context"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// Catalogue is what scenarios came to on one side.
type Catalogue struct {
	// Format is the version of the file format, 1.
	Format int `json:"format"`
	// Tool is the program that ran it.
	Tool string `json:"tool"`
	// Name is what the side is called.
	Name string `json:"name"`
	Side Side   `json:"side"`
	// Seeds is how many each campaign was to have, from FirstSeed on; 0 if only a time
	// bounded it. Those of cost have a tenth.
	FirstSeed uint64 `json:"firstSeed"`
	Seeds     uint64 `json:"seeds"`
	Runs      []*Run `json:"scenarios"`
	// Interrupted: the last scenarios are missing.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Run is the campaign of one scenario.
type Run struct {
	Scenario string `json:"scenario"`
	// CannotRun says why there was no campaign; empty if there was one.
	CannotRun    string       `json:"cannotRun,omitempty"`
	Strategy     string       `json:"strategy,omitempty"`
	FirstSeed    uint64       `json:"firstSeed"`
	Schedules    uint64       `json:"schedules"`
	CampaignHash explore.Hash `json:"campaignHash"`
	// NeverReady is how many schedules ended with a cache that was not ready again after the faults.
	NeverReady uint64   `json:"neverReady,omitempty"`
	Claims     []*Claim `json:"claims,omitempty"`
	Cost       *Cost    `json:"cost,omitempty"`
}

// Claim is one property over all schedules of a campaign.
type Claim struct {
	Property string `json:"property"`
	// Verdict is holds, violated, unknown or vacuous.
	Verdict    string `json:"verdict"`
	Violations uint64 `json:"violations,omitempty"`
	// Schedules are more than those of the campaign if it was looked for longer.
	Schedules uint64 `json:"schedules"`
	// Known: it is known to be violated on this side, with the reasons; Rarely: a
	// campaign may miss it.
	Known   bool     `json:"known,omitempty"`
	Rarely  bool     `json:"rarely,omitempty"`
	Because []string `json:"because,omitempty"`
	Ways    []Way    `json:"ways,omitempty"`
}

// Way is one way to violate a property: a label that all its stories share.
type Way struct {
	Label string `json:"label"`
	// Seed is the first one that shows it, Schedules how many did.
	Seed      uint64 `json:"seed"`
	Schedules uint64 `json:"schedules"`
	// Why is the sentence with which the story of that seed ends.
	Why string `json:"why"`
	// Stories is how many of its first runs were told, Happenings what happens in them.
	Stories    uint64      `json:"stories,omitempty"`
	Happenings []Happening `json:"happenings,omitempty"`
}

func (c *Claim) violated() bool { return c.Verdict == model.Violated.String() }
func (c *Claim) holds() bool    { return c.Verdict == model.Holds.String() }

// find is the first for which something holds, nil if there is none.
func find[T any](all []*T, holds func(*T) bool) *T {
	if i := slices.IndexFunc(all, func(x *T) bool { return x != nil && holds(x) }); i >= 0 {
		return all[i]
	}
	return nil
}

// run is that of a scenario, nil if there is none.
func (c *Catalogue) run(scenario string) *Run {
	return find(c.Runs, func(r *Run) bool { return r.Scenario == scenario })
}

// claim is that of a property, nil if the scenario did not claim it.
func (r *Run) claim(property string) *Claim {
	return find(r.Claims, func(c *Claim) bool { return c.Property == property })
}

// command shows a seed of a scenario again.
func (c *Catalogue) command(program string, r *Run, seed uint64) string {
	return withSeeds(c.Side.command(program, r.Scenario), r.Strategy, seed, seed)
}

// Outcome is what one side came to beside what is known of it.
type Outcome struct {
	Of   *Catalogue `json:"-"`
	Name string     `json:"side"`
	// NewlyViolated are claims that are violated and not known to be, Missing those that
	// every campaign is known to violate and this one did not.
	NewlyViolated []Surprise `json:"newlyViolated"`
	Missing       []Surprise `json:"missing"`
	Unknown       []Unknown  `json:"unknown"`
	// Holds and Violated count the claims that are as known.
	Holds     int `json:"holds"`
	Violated  int `json:"violated"`
	Scenarios int `json:"scenarios"`
	// NotSeen are those among Holds that are known to be violated rarely.
	NotSeen     int  `json:"notSeen"`
	Interrupted bool `json:"interrupted,omitempty"`
}

// Surprise is a claim that is not as known.
type Surprise struct {
	Scenario string `json:"scenario"`
	Property string `json:"property"`
	Seen
}

// AsKnown holds a side to what is known of it.
func AsKnown(program string, c *Catalogue) *Outcome {
	o := &Outcome{Of: c, Name: c.Name, NewlyViolated: []Surprise{}, Missing: []Surprise{}, Unknown: []Unknown{}, Interrupted: c.Interrupted}
	for _, r := range c.Runs {
		switch {
		case r.CannotRun != "":
			o.Unknown = withUnknown(o.Unknown, r.Scenario, "", "not run: "+r.CannotRun)
			continue
		case r.Schedules == 0:
			o.Unknown = withUnknown(o.Unknown, r.Scenario, "", "no schedule was run")
			continue
		}
		o.Scenarios++
		for _, claim := range r.Claims {
			surprise := Surprise{r.Scenario, claim.Property, seen(program, c, r, claim)}
			switch {
			case claim.violated() && claim.Known:
				o.Violated++
			case claim.violated():
				o.NewlyViolated = append(o.NewlyViolated, surprise)
			case !claim.holds():
				o.Unknown = withUnknown(o.Unknown, r.Scenario, claim.Property, claim.Verdict)
			case claim.Known && !claim.Rarely:
				o.Missing = append(o.Missing, surprise)
			default:
				o.Holds++
				if claim.Known {
					o.NotSeen++
				}
			}
		}
	}
	return o
}

// Verdict says whether the side is as known: violated if something is violated that is not
// known to be, unknown if something is missing or unknown, as run --expect has it.
func (o *Outcome) Verdict() model.Verdict {
	switch {
	case len(o.NewlyViolated) > 0:
		return model.Violated
	case len(o.Missing)+len(o.Unknown) > 0 || o.Interrupted:
		return model.VerdictUnknown
	}
	return model.Holds
}

// Beyond is a scenario that is known to be violated with designs to which the matrix
// says "yes". It says little of one design: the reference is violated as well, a second
// version of etcd takes part, or an event is lost.
type Beyond struct {
	Scenario   string   `json:"scenario"`
	Properties []string `json:"properties"`
	// Designs and Versions are those of the matrix with which it is violated.
	Designs  []string `json:"designs"`
	Versions []string `json:"etcd"`
	Because  []string `json:"because"`
	// Command shows it with the first of the designs and the last of the versions.
	Command string `json:"command"`
}

// beyond lists what is known beside the verdicts of these cells, scenario by scenario. An
// interrupt ends it early.
func (cfg *Config) beyond(ctx context.Context, cells []*Cell) ([]Beyond, error) {
	all := []Beyond{}
	for _, sc := range testbed.Scenarios() {
		if slices.Contains(basis(), sc.Name) {
			continue
		}
		b := Beyond{Scenario: sc.Name}
		for _, cell := range cells {
			if ctx.Err() != nil {
				return all, errInterrupted
			}
			b.add(cfg, sc, cell)
		}
		if len(b.Properties) > 0 {
			b.Command = cfg.command(b.Versions[len(b.Versions)-1], b.Designs[0], sc.Name)
			all = append(all, b)
		}
	}
	return all, nil
}

func (b *Beyond) add(cfg *Config, sc *testbed.Scenario, cell *Cell) {
	for _, version := range cell.Versions() {
		p, err := cfg.params(sc, version, cell.Design)
		if err != nil {
			continue
		}
		for _, v := range known.Expected(sc, &p) {
			if cell.question(isLive(v.Property.Name)).Verdict != model.Holds.String() {
				continue
			}
			b.Properties, b.Because = registry.With(b.Properties, v.Property.Name), registry.With(b.Because, v.Because...)
			b.Designs, b.Versions = registry.With(b.Designs, cell.Design), registry.With(b.Versions, version)
		}
	}
}
