// Package flip (unstable) looks for the cause of a violation: with another value of one behaviour,
// or without one kind of fault, the recorded schedule, followed as far as it fits, no longer
// violates the property, other runs that fail in the same way do not either, and other schedules
// fail more rarely.
//
//	candidate  what may be the cause, and what may be put in its place
//	others     other schedules, and those of them that fail in the same way
//	trial      one value in the place of another, tried on all of them
//	decision   what decides, and what the trials say for it
//	releases   which versions or designs have a value
//
// What only hides a violation is no cause: another design that has etcd answer, or
// an older release.
//
// The package must never import package story or package report.
package flip

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/testbed"
)

// search is one violation whose cause is looked for.
type search struct {
	scenario *testbed.Scenario
	params   testbed.Params
	rec      *recording.Recording
	failure  explore.Failure
	// others are other runs with the same parameters.
	others others
	// maybe is the best of the candidates that may have led the schedule elsewhere by
	// chance.
	maybe *Decision
	// gated: the cache is other code than the simulated one, and says which options it reads.
	gated bool
	// promised: the property is to hold with these parameters. Then nothing that is released is at fault.
	promised bool
	// earlier: what only earlier releases have is tried.
	earlier bool
	tried   []candidate
}

// Outcome is what a search came to.
type Outcome struct {
	// Decision is what decides, nil if no setting does. Switch is then a setting that is not at fault and without which
	// the schedule passes, and Maybe the nearest to a decision: with it the schedule passes, but that may be chance.
	// They are nil if there is none.
	Decision, Switch, Maybe *Decision
	// Needed are faults and what clients do without any of which the violation goes away: circumstances of it, which a
	// cache has to bear. They are looked for if no setting decides.
	Needed []string
	// tried is all that was.
	tried []candidate
}

// Decide finds the cause of how the recording fails.
func Decide(sc *testbed.Scenario, p testbed.Params, rec *recording.Recording, f explore.Failure) Outcome {
	s := &search{scenario: sc, params: p, rec: rec, failure: f}
	s.promised = !slices.ContainsFunc(known.Violations(sc, &p), func(v known.Violation) bool { return v.Property.Name == f.Property })
	if design, err := cache.FindDesign(p.Cache); err == nil {
		s.gated = design.Reads != nil
	}
	s.look()
	o := Outcome{Decision: s.cause(), tried: s.tried}
	if o.Decision != nil && !o.Decision.switches() {
		return o
	}
	if o.Decision != nil && o.Decision.Node != ofFaults {
		o.Switch = o.Decision
	}
	o.Decision, o.Maybe = nil, s.maybe
	for _, c := range s.circumstances() {
		// Without what clients do nothing may be left to judge.
		if d := s.decide(c); d != nil && d.strict && (c.Node == ofFaults || d.best().gone > 0) {
			needed := c.Name + "=" + c.Value
			if c.Node == ofFaults {
				needed = "the fault " + needed
			}
			o.Needed = append(o.Needed, needed)
		}
	}
	return o
}

// cause tries one candidate after the other. What decides for sure at one node
// leaves the nodes after it untried, and what earlier releases had.
func (s *search) cause() *Decision {
	var found []*Decision
	for _, s.earlier = range []bool{false, true} {
		for _, c := range s.candidates() {
			if len(found) > 0 && found[0].strict && !found[0].switches() && (found[0].planted || found[0].changed != "" || found[0].Node != c.Node) {
				break
			}
			if d := s.decide(c); d != nil {
				bug := bugOf(d.Node, d.Name, d.Value)
				d.shows = bug != nil && bug.ShowsIn(s.scenario)
				d.promised = s.promised && !d.planted && s.released(&c)
				found = append(found, d)
				slices.SortStableFunc(found, func(a, b *Decision) int { return a.rank(b) })
			}
		}
		// What a later release may mend did not begin with this one, and what every release promises began with none.
		if len(found) > 0 || s.maybe != nil || s.promised {
			break
		}
	}
	s.earlier = false
	if len(found) == 0 {
		return nil
	}
	for _, d := range found[1:] {
		if d.strict && found[0].strict && d.Node == found[0].Node && d.switches() == found[0].switches() && (d.values[0].since.later || d.values[0].since.earlier) {
			found[0].also = append(found[0].also, d)
		}
	}
	return found[0]
}

// released reports whether a candidate is a fault, or a value that a release of etcd or of clientv3, a design of the
// cache or the registered scenario has: what the property is promised of. Of a value from elsewhere nothing is known.
func (s *search) released(c *candidate) bool {
	p := s.paramsOf(c)
	p = p.AsReleased()
	switch {
	case c.Node == ofFaults:
		return true
	case c.whole:
		return false
	case c.Node == "cache":
		return !s.gated && (designs(p, c.Name, c.Value).text != "" || has(s.scenario.Params, c.Name, c.Value))
	}
	// What an option without which its code does not run leaves as it was, earlier releases have.
	return (c.Node == "etcd" || c.Node == "client") && (has(p, c.Name, c.Value) || slices.Contains(c.Off, c.Value))
}

// decide tries the remedies of one candidate; nil if it does not decide. What several API
// servers have is looked for at each of them, too, since one of them may be the cause.
func (s *search) decide(c candidate) *Decision {
	passing := s.passing(&c, s.remedies(&c))
	d := decisionOf(c, passing)
	if d == nil {
		s.doubt(c, passing)
	}
	if len(c.alone) == 0 || d != nil && d.strict && len(s.params.Topology.ServerSettings) == 0 {
		// Equal servers have it because their design does.
		return d
	}
	var alone []*Decision
	for _, one := range c.alone {
		// What does not help at all of them is no remedy at one.
		if e := decisionOf(one, s.passing(&one, passing)); e != nil && e.strict {
			alone = append(alone, e)
		}
	}
	switch {
	case len(alone) == 0:
		return d
	case d == nil || !d.strict, len(alone) == 1 && alone[0].best().share() >= d.best().share():
		return alone[0]
	}
	return d
}

// passing are those of the values of a candidate with which the recorded schedule passes.
func (s *search) passing(c *candidate, values []trial) []trial {
	var all []trial
	for _, value := range values {
		v := trial{name: value.name, since: value.since}
		changed, err := s.with(c, v.name)
		if err == nil && s.try(changed, &v) {
			all = append(all, v)
		}
		if v.ran {
			s.tried = append(s.tried, *c)
		}
	}
	return all
}

// doubt keeps a candidate that does not decide, if it is better than the one before.
func (s *search) doubt(c candidate, passing []trial) {
	d := &Decision{candidate: c}
	for _, v := range passing {
		if v.possible() {
			d.values = append(d.values, v)
		}
	}
	if len(d.values) > 0 && (s.maybe == nil || d.rank(s.maybe) < 0) {
		s.maybe = d
	}
}

// decisionOf is what remedies come to that pass; nil if none of them convinces.
func decisionOf(c candidate, passing []trial) *Decision {
	d := &Decision{candidate: c, strict: true}
	var weak []trial
	for _, v := range passing {
		if v.convincing() {
			d.values = append(d.values, v)
		} else if v.plausible() {
			weak = append(weak, v)
		}
	}
	if len(d.values) == 0 {
		d.values, d.strict = weak, false
	}
	if len(d.values) == 0 {
		return nil
	}
	return d
}
