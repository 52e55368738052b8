package matrix

import (
	"slices"

	"github.com/watchbed/watchbed/internal/exacttest"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Comparison is what differs between two sides.
type Comparison struct {
	A *Catalogue `json:"-"`
	B *Catalogue `json:"-"`
	// Names are those of the sides.
	Names [2]string `json:"sides"`
	// Differs are the claims that differ, and where caches are not ready again; Costs the measures.
	Differs []Difference     `json:"differs"`
	Costs   []CostDifference `json:"costs"`
	// Perhaps are the claims that one side alone violates, in so few schedules that chance may explain it.
	Perhaps []Difference `json:"perhaps"`
	// Unknown are the claims of which cannot be said whether they differ.
	Unknown []Unknown `json:"unknown"`
	Alike   Alike     `json:"alike"`
	// Scenarios is how many there are on both sides together.
	Scenarios int `json:"scenarios"`
	// Interrupted: a side is not complete.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Alike counts what does not differ.
type Alike struct {
	Verdicts  int `json:"verdicts"`
	Scenarios int `json:"scenarios"`
	// SameRuns are the scenarios whose schedules are the same to the bit.
	SameRuns int `json:"sameRuns"`
	Costs    int `json:"costs"`
}

// Kind is in what the two sides differ about a claim.
type Kind string

const (
	// Verdict: one side violates it, and the other does not.
	Verdict Kind = "verdict"
	// HowOften: both violate it, and one of them in another share of the schedules.
	HowOften Kind = "how often"
	// Ways: both violate it, and one of them in a way in which the other does not.
	Ways Kind = "ways"
	// Stories: both violate it in the same ways, and what leads to it differs.
	Stories Kind = "stories"
	// NeverReady: a cache is not ready again after the faults in another share of the schedules. It is about
	// no property: what must come in time is not judged there.
	NeverReady Kind = "never ready again"
)

// Difference is a claim that differs.
type Difference struct {
	Kind     Kind    `json:"kind"`
	Scenario string  `json:"scenario"`
	Property string  `json:"property"`
	Sides    [2]Seen `json:"sides"`
	// Chance is the probability of counts as different as these, or more, if both sides
	// violate the claim equally often (Fisher's exact test, two-sided).
	Chance float64 `json:"chance"`
	// Stories is what happens in the stories of one side only, whatever else differs.
	Stories []StoryDifference `json:"stories,omitempty"`
}

// Seen is what one side says of a claim.
type Seen struct {
	Verdict    string   `json:"verdict"`
	Violations uint64   `json:"violations"`
	Schedules  uint64   `json:"schedules"`
	Known      bool     `json:"known,omitempty"`
	Because    []string `json:"because,omitempty"`
	Ways       []Way    `json:"ways,omitempty"`
	// Command shows the first of the ways again; empty if nothing is violated.
	Command string `json:"command,omitempty"`
}

// Unknown are claims of one scenario of which it is unknown whether they differ.
type Unknown struct {
	Scenario   string   `json:"scenario"`
	Properties []string `json:"properties,omitempty"`
	Why        string   `json:"why"`
}

// withUnknown adds a claim, or a whole scenario if property is empty.
func withUnknown(all []Unknown, scenario, property, why string) []Unknown {
	for i := range all {
		if u := &all[i]; u.Scenario == scenario && u.Why == why {
			u.Properties = append(u.Properties, property)
			return all
		}
	}
	u := Unknown{Scenario: scenario, Why: why}
	if property != "" {
		u.Properties = []string{property}
	}
	return append(all, u)
}

// Chances below which a difference of counts is none of chance. rare is for one side that
// never did it, often for two that did: of these there are hundreds.
const (
	rare  = 0.01
	often = 1e-4
)

// Differ compares two sides, scenario by scenario in the order of the first.
func Differ(program string, a, b *Catalogue) *Comparison {
	c := &Comparison{A: a, B: b, Names: [2]string{a.Name, b.Name}, Differs: []Difference{}, Costs: []CostDifference{}, Perhaps: []Difference{}, Unknown: []Unknown{}, Interrupted: a.Interrupted || b.Interrupted}
	names := scenariosOf(a, b)
	c.Scenarios = len(names)
	for _, name := range names {
		c.scenario(program, name)
	}
	return c
}

// scenariosOf are those of both, in the order of the first.
func scenariosOf(a, b *Catalogue) (names []string) {
	for _, r := range slices.Concat(a.Runs, b.Runs) {
		names = registry.With(names, r.Scenario)
	}
	return names
}

func (c *Comparison) scenario(program, name string) {
	a, b := c.A.run(name), c.B.run(name)
	for i, r := range []*Run{a, b} {
		switch {
		case r == nil:
			c.Unknown = withUnknown(c.Unknown, name, "", "not run with "+c.Names[i])
			return
		case r.CannotRun != "":
			c.Unknown = withUnknown(c.Unknown, name, "", "not run with "+c.Names[i]+": "+r.CannotRun)
			return
		case r.Schedules == 0:
			c.Unknown = withUnknown(c.Unknown, name, "", "no schedule was run with "+c.Names[i])
			return
		}
	}
	known := func() int { return len(c.Differs) + len(c.Perhaps) + len(c.Unknown) + len(c.Costs) }
	before := known()
	for _, property := range propertiesOf(a, b) {
		c.claim(program, a, b, property)
	}
	c.neverReady(a, b)
	c.costs(a, b)
	if known() > before {
		return
	}
	c.Alike.Scenarios++
	if sameRuns(a, b) {
		c.Alike.SameRuns++
	}
}

func sameRuns(a, b *Run) bool {
	return a.CampaignHash == b.CampaignHash && a.Schedules == b.Schedules && a.FirstSeed == b.FirstSeed && a.Strategy == b.Strategy
}

func propertiesOf(a, b *Run) (names []string) {
	for _, claim := range slices.Concat(a.Claims, b.Claims) {
		names = registry.With(names, claim.Property)
	}
	return names
}

// claim compares one property of a scenario.
func (c *Comparison) claim(program string, a, b *Run, property string) {
	claims := [2]*Claim{a.claim(property), b.claim(property)}
	for i := range claims {
		if claims[i] != nil {
			continue
		}
		if property != testbed.NoPanic.Name {
			c.Unknown = withUnknown(c.Unknown, a.Scenario, property, "not claimed with "+c.Names[i])
			return
		}
		// Every scenario promises it, and lists it if it is violated.
		claims[i] = &Claim{Property: property, Verdict: model.Holds.String(), Schedules: []*Run{a, b}[i].Schedules}
	}
	for i, claim := range claims {
		if !claim.violated() && !claim.holds() {
			c.Unknown = withUnknown(c.Unknown, a.Scenario, property, claim.Verdict+" with "+c.Names[i])
			return
		}
	}
	d := Difference{Scenario: a.Scenario, Property: property}
	for i, r := range []*Run{a, b} {
		d.Sides[i] = seen(program, []*Catalogue{c.A, c.B}[i], r, claims[i])
	}
	d.Chance = d.chance()
	same := sameRuns(a, b)
	if !same {
		d.Stories = otherStories(&d)
	}
	switch first, second := claims[0], claims[1]; {
	case first.violated() != second.violated():
		d.Kind = Verdict
		if d.Chance >= rare && !same {
			c.Perhaps = append(c.Perhaps, d)
			return
		}
	case first.holds():
		if why := c.maybe(claims); why != "" && !same {
			c.Unknown = withUnknown(c.Unknown, a.Scenario, property, why)
			return
		}
		c.Alike.Verdicts++
		return
	case d.Chance < often:
		d.Kind = HowOften
	case !sameWays(&d):
		d.Kind = Ways
	case len(d.Stories) > 0:
		d.Kind = Stories
	default:
		c.Alike.Verdicts++
		return
	}
	c.Differs = append(c.Differs, d)
}

// neverReady compares in how many schedules a cache was not ready again.
func (c *Comparison) neverReady(a, b *Run) {
	d := Difference{Kind: NeverReady, Scenario: a.Scenario}
	for i, r := range []*Run{a, b} {
		d.Sides[i] = Seen{Violations: r.NeverReady, Schedules: r.Schedules}
	}
	if d.Chance = d.chance(); d.Chance < rare {
		c.Differs = append(c.Differs, d)
	}
}

// maybe says why a claim that held on both sides may yet differ: it is known to be violated
// on one of them.
func (c *Comparison) maybe(claims [2]*Claim) string {
	for i, claim := range claims {
		switch {
		case !claim.Known || claims[1-i].Known:
		case claim.Rarely:
			return "known to be violated rarely with " + c.Names[i] + ", and not seen"
		default:
			return "known to be violated with " + c.Names[i] + ", and not seen"
		}
	}
	return ""
}

func seen(program string, of *Catalogue, r *Run, claim *Claim) Seen {
	s := Seen{Verdict: claim.Verdict, Violations: claim.Violations, Schedules: claim.Schedules, Known: claim.Known, Because: claim.Because, Ways: claim.Ways}
	if len(claim.Ways) > 0 {
		s.Command = of.command(program, r, claim.Ways[0].Seed)
	}
	return s
}

// Bad is the side that violates a claim that the other does not.
func (d *Difference) Bad() int {
	if d.Sides[1].Violations > 0 {
		return 1
	}
	return 0
}

// Other is the other side.
func (d *Difference) Other() int { return 1 - d.Bad() }

// Kinds are the differences of these kinds.
func (c *Comparison) Kinds(kinds ...string) (all []*Difference) {
	for i := range c.Differs {
		if d := &c.Differs[i]; slices.Contains(kinds, string(d.Kind)) {
			all = append(all, d)
		}
	}
	return all
}

func (d *Difference) chance() float64 { return d.chanceAt(1) }

// chanceAt is the chance of so many times the schedules with the same rates.
func (d *Difference) chanceAt(times uint64) float64 {
	a, b := &d.Sides[0], &d.Sides[1]
	return exacttest.FisherTwoSided(int(a.Violations*times), int(a.Schedules*times), int(b.Violations*times), int(b.Schedules*times))
}

// mostTimes bounds what Enough looks at: sides with very different numbers of schedules may need any multiple.
const mostTimes = 64

// Enough is how many times the schedules would tell the sides apart if the rates stay, 0 if more than mostTimes.
func (d *Difference) Enough() uint64 {
	for times := uint64(2); times <= mostTimes; times++ {
		if d.chanceAt(times) < rare {
			return times
		}
	}
	return 0
}

// sameWays reports whether each way to violate the claim is one of both sides, as far as
// chance lets one say.
func sameWays(d *Difference) bool {
	for i := range d.Sides {
		this, other := &d.Sides[i], &d.Sides[1-i]
		for _, w := range this.Ways {
			if slices.ContainsFunc(other.Ways, func(x Way) bool { return x.Label == w.Label }) {
				continue
			}
			if exacttest.FisherTwoSided(int(w.Schedules), int(this.Schedules), 0, int(other.Schedules)) < rare {
				return false
			}
		}
	}
	return true
}

// Verdict says whether the sides differ: violated if they do, unknown if that cannot be
// said, holds if they are alike.
func (c *Comparison) Verdict() model.Verdict {
	switch {
	case len(c.Differs)+len(c.Costs) > 0:
		return model.Violated
	case len(c.Unknown)+len(c.Perhaps) > 0 || c.Interrupted:
		return model.VerdictUnknown
	}
	return model.Holds
}
