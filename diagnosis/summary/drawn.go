package summary

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// Drawn is what campaigns over draws of one scenario came to beside what is known: each
// draw has parameters of its own, and other rows that hold.
type Drawn struct {
	// Draws are the draws that showed each failure first, in that order.
	Draws []FirstDraw
	// Known are the reasons of violations that are known of their draws.
	Known []Known
	// Unexpected are properties that were violated in a draw of which that is not known.
	Unexpected []string
}

// FirstDraw is the draw that showed a failure first. If the failure is known of that
// draw, a later one of which it is not known takes its place.
type FirstDraw struct {
	Failure    explore.Failure
	Draw, Seed uint64
	Unexpected bool
}

// Add adds the failures of the next draw, and returns those for which it is the draw to
// tell of.
func (d *Drawn) Add(sc *testbed.Scenario, p *testbed.Params, draw uint64, failures []campaign.FailureTally) []campaign.FailureTally {
	var violated []string
	for _, f := range failures {
		violated = append(violated, f.Failure.Property)
	}
	o := known.OutcomeOf(sc, p, violated)
	d.Unexpected = registry.With(d.Unexpected, o.Unexpected...)
	for _, x := range o.Explained {
		if Reasons(d.Known, x.Property.Name) == "" {
			d.Known = append(d.Known, Known{x.Property.Name, x.Rarely, x.Because})
		}
	}
	var tell []campaign.FailureTally
	for _, f := range failures {
		if d.first(FirstDraw{f.Failure, draw, f.FirstSeed, slices.Contains(o.Unexpected, f.Failure.Property)}) {
			tell = append(tell, f)
		}
	}
	return tell
}

// first reports whether this is the draw to tell of.
func (d *Drawn) first(x FirstDraw) bool {
	i := slices.IndexFunc(d.Draws, func(y FirstDraw) bool { return y.Failure == x.Failure })
	if i < 0 {
		d.Draws = append(d.Draws, x)
		return true
	}
	if !d.Draws[i].Unexpected && x.Unexpected {
		d.Draws[i] = x
		return true
	}
	return false
}

// OfDrawn says what a campaign over draws came to. The parameters are those that all
// draws have in common, draws is the range of their numbers.
func OfDrawn(sc *testbed.Scenario, p *testbed.Params, c *campaign.Result, draws string, d *Drawn) *Summary {
	s := Of(sc, p, c)
	s.Draws, s.Expected, s.Missing, s.Unexpected = draws, []string{}, nil, d.Unexpected
	s.Known = slices.DeleteFunc(slices.Clone(d.Known), func(k Known) bool { return slices.Contains(s.Unexpected, k.Property) })
	for i := range s.Failures {
		f := &s.Failures[i]
		at := slices.IndexFunc(d.Draws, func(x FirstDraw) bool { return x.Failure == explore.Failure{Property: f.Property, Label: f.Label} })
		if at >= 0 {
			f.Draw, f.Seed = &d.Draws[at].Draw, d.Draws[at].Seed
		}
	}
	return s
}
