package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/registry"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// Known is a property that is known to be violated with some parameters.
type Known struct {
	Property string `json:"property"`
	// Rarely: a campaign may miss the violation.
	Rarely  bool     `json:"rarely,omitempty"`
	Because []string `json:"because"`
}

// KnownOf is what is known of a scenario with these parameters.
func KnownOf(sc *testbed.Scenario, p *testbed.Params) []Known {
	var all []Known
	for _, v := range known.Violations(sc, p) {
		all = append(all, Known{v.Property.Name, v.Rarely, v.Because})
	}
	return all
}

// Reasons are why a property is known to be violated, empty if it is not.
func Reasons(all []Known, property string) string {
	for _, k := range all {
		if k.Property == property {
			return strings.Join(k.Because, "; ")
		}
	}
	return ""
}

// BesideKnown says what was found of a property beside what is known of it: missing, if it had to be violated and was
// not. It is empty if there is nothing to say.
func BesideKnown(violated, missing bool, reasons string) string {
	switch {
	case violated && reasons == "":
		return "expected to hold, and was violated"
	case violated:
		return "violated as expected: " + reasons
	case missing:
		return "expected to be violated, and was not in these schedules: " + reasons
	}
	return ""
}

// LeaveOutLacking takes from a campaign the properties that no schedule checked, and that say nothing of any of its
// caches: their designs have nothing that these are about (cache.Design.Lacks), or nothing but the end of a run is
// judged, and none can come to rest (testbed.Params.ComesToRest). What was checked counts. The error names what a
// design lacks and no property is called.
func LeaveOutLacking(p *testbed.Params, c *campaign.Result) error {
	servers, err := p.Servers()
	if err != nil {
		return err
	}
	for i := range servers {
		for _, name := range servers[i].Design.Lacks {
			if _, err := testbed.FindProperty(name); err != nil {
				return fmt.Errorf("what the design %s lacks: %w", servers[i].Design.Name, err)
			}
		}
	}
	rests, err := p.ComesToRest()
	if err != nil {
		return err
	}
	c.Properties = slices.DeleteFunc(c.Properties, func(t campaign.PropertyTally) bool {
		if t.Verdict != model.Vacuous {
			return false
		}
		of, err := testbed.FindProperty(t.Name)
		return err == nil && of.Monitor.AtRest && !rests || len(servers) > 0 &&
			!slices.ContainsFunc(servers, func(s testbed.Server) bool { return !slices.Contains(s.Design.Lacks, t.Name) })
	})
	return nil
}

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
