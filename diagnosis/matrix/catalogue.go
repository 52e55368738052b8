package matrix

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
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
