package matrix

import (
	"slices"

	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Comparison is what differs between two columns, or between one and what is known of it.
type Comparison struct {
	// Names are those of the columns.
	Names []string `json:"sides"`
	// Differs are the claims that differ, and where caches are not ready again; Costs the measures.
	Differs []Difference     `json:"differs"`
	Costs   []CostDifference `json:"costs"`
	// Perhaps are the claims that one side alone violates, in so few schedules that chance may explain it; of one
	// column those that every campaign is known to violate, and this one did not.
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
	Verdicts int `json:"verdicts"`
	// Violated are those among them that are violated, NotSeen those that hold and are known to be violated rarely.
	Violated  int `json:"violated"`
	NotSeen   int `json:"notSeen,omitempty"`
	Scenarios int `json:"scenarios"`
	// SameRuns are the scenarios whose schedules are the same to the bit.
	SameRuns int `json:"sameRuns"`
	Costs    int `json:"costs"`
}

// Kind is in what the two sides differ about a claim.
type Kind string

const (
	// Verdict: one side violates it, and the other does not; or it is not known to.
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
	Kind     Kind     `json:"kind"`
	Scenario string   `json:"scenario"`
	Property string   `json:"property"`
	Sides    []*Claim `json:"sides"`
	// Chance is the probability of counts as different as these, or more, if both sides
	// violate the claim equally often (Fisher's exact test, two-sided).
	Chance float64 `json:"chance"`
	// Stories is what happens in the stories of one side only, whatever else differs.
	Stories []StoryDifference `json:"stories,omitempty"`
}

// Unknown is a claim of which it is unknown whether it differs, or a whole scenario.
type Unknown struct {
	Scenario string `json:"scenario"`
	Property string `json:"property,omitempty"`
	Why      string `json:"why"`
}

// Chances below which a difference of counts is none of chance. rare is for one side that
// never did it, often for two that did: of these there are hundreds.
const (
	rare  = 0.01
	often = 1e-4
)

// Differ compares two columns, scenario by scenario in the order of the first, or one with what is known of it.
func Differ(columns ...*Column) *Comparison {
	c := &Comparison{Differs: []Difference{}, Costs: []CostDifference{}, Perhaps: []Difference{}, Unknown: []Unknown{}}
	var names []string
	for _, of := range columns {
		c.Names, c.Interrupted = append(c.Names, of.Name), c.Interrupted || of.Interrupted
		for _, r := range of.Runs {
			names = registry.With(names, r.Scenario)
		}
	}
	c.Scenarios = len(names)
	for _, name := range names {
		var runs []*Run
		for _, of := range columns {
			runs = append(runs, of.run(name))
		}
		c.scenario(name, runs)
	}
	return c
}

// why says why nothing is known of a scenario; empty if it was run.
func (r *Run) why(with string) string {
	switch {
	case r == nil:
		return "not run with " + with
	case r.CannotRun != "":
		return "not run with " + with + ": " + r.CannotRun
	case r.Schedules == 0:
		return "no schedule was run with " + with
	}
	return ""
}

func (c *Comparison) unknown(scenario, property, why string) {
	c.Unknown = append(c.Unknown, Unknown{scenario, property, why})
}

func (c *Comparison) scenario(name string, runs []*Run) {
	for i, r := range runs {
		if why := r.why(c.Names[i]); why != "" {
			c.unknown(name, "", why)
			return
		}
	}
	said := func() int { return len(c.Differs) + len(c.Perhaps) + len(c.Unknown) + len(c.Costs) }
	before := said()
	var properties []string
	for _, r := range runs {
		for _, claim := range r.Claims {
			properties = registry.With(properties, claim.Property)
		}
	}
	same := len(runs) == 2 && sameRuns(runs[0], runs[1])
	for _, property := range properties {
		c.claim(runs, property, same)
	}
	if len(runs) == 2 {
		c.neverReady(runs)
		c.compareCosts(runs[0], runs[1])
	}
	if said() > before {
		return
	}
	c.Alike.Scenarios++
	if same {
		c.Alike.SameRuns++
	}
}

func sameRuns(a, b *Run) bool {
	return a.CampaignHash == b.CampaignHash && a.Schedules == b.Schedules && a.FirstSeed == b.FirstSeed && a.Strategy == b.Strategy
}

// claim compares one property of a scenario.
func (c *Comparison) claim(runs []*Run, property string, same bool) {
	d := Difference{Kind: Verdict, Scenario: runs[0].Scenario, Property: property}
	for i, r := range runs {
		claim := r.claim(property)
		if claim == nil && property == testbed.NoPanic.Name {
			// Every scenario promises it, and lists it if it is violated.
			claim = &Claim{Property: property, Verdict: model.Holds, Schedules: r.Schedules}
		}
		switch {
		case claim == nil:
			c.unknown(d.Scenario, property, "not claimed with "+c.Names[i])
			return
		case !claim.violated() && !claim.holds():
			c.unknown(d.Scenario, property, claim.Verdict.String()+" with "+c.Names[i])
			return
		}
		d.Sides = append(d.Sides, claim)
	}
	first := d.Sides[0]
	if len(runs) == 1 {
		switch is, _ := first.AsKnown(); is {
		case model.Holds:
			c.alike(first)
		case model.Violated:
			c.Differs = append(c.Differs, d)
		default:
			c.Perhaps = append(c.Perhaps, d)
		}
		return
	}
	d.Chance = d.chance()
	if !same {
		d.Stories = otherStories(&d)
	}
	switch {
	case first.violated() != d.Sides[1].violated():
		if d.Chance >= rare && !same {
			c.Perhaps = append(c.Perhaps, d)
			return
		}
	case first.holds():
		if why := c.maybe(d.Sides); why != "" && !same {
			c.unknown(d.Scenario, property, why)
		} else {
			c.alike(first)
		}
		return
	case d.Chance < often:
		d.Kind = HowOften
	case !sameWays(&d):
		d.Kind = Ways
	case len(d.Stories) > 0:
		d.Kind = Stories
	default:
		c.alike(first)
		return
	}
	c.Differs = append(c.Differs, d)
}

func (c *Comparison) alike(claim *Claim) {
	c.Alike.Verdicts++
	if claim.violated() {
		c.Alike.Violated++
	} else if claim.Known {
		c.Alike.NotSeen++
	}
}

// neverReady compares in how many schedules a cache was not ready again.
func (c *Comparison) neverReady(runs []*Run) {
	d := Difference{Kind: NeverReady, Scenario: runs[0].Scenario}
	for _, r := range runs {
		d.Sides = append(d.Sides, &Claim{Violations: r.NeverReady, Schedules: r.Schedules})
	}
	if d.Chance = d.chance(); d.Chance < rare {
		c.Differs = append(c.Differs, d)
	}
}

// maybe says why a claim that held on both sides may yet differ: it is known to be violated
// on one of them.
func (c *Comparison) maybe(claims []*Claim) string {
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
	a, b := d.Sides[0], d.Sides[1]
	return metric.FisherTwoSided(int(a.Violations*times), int(a.Schedules*times), int(b.Violations*times), int(b.Schedules*times))
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
		this, other := d.Sides[i], d.Sides[1-i]
		for _, w := range this.Ways {
			if slices.ContainsFunc(other.Ways, func(x Way) bool { return x.Label == w.Label }) {
				continue
			}
			if metric.FisherTwoSided(int(w.Schedules), int(this.Schedules), 0, int(other.Schedules)) < rare {
				return false
			}
		}
	}
	return true
}

// Verdict says whether they differ: violated if they do, unknown if that cannot be
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
