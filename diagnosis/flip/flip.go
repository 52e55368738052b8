package flip

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim/option"
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
}

// Decide finds the cause of how the recording fails, nil if nothing that is known
// decides.
func Decide(sc *testbed.Scenario, p testbed.Params, rec *recording.Recording, f explore.Failure) *Decision {
	s := &search{scenario: sc, params: p, rec: rec, failure: f}
	s.look()
	return s.cause()
}

// cause tries one candidate after the other. What decides for sure at one node
// leaves the nodes after it untried.
func (s *search) cause() *Decision {
	var found []*Decision
	for _, c := range s.candidates() {
		if len(found) > 0 && found[0].strict && (found[0].planted || found[0].Node != c.Node) {
			break
		}
		if d := s.decide(c); d != nil {
			found = append(found, d)
			slices.SortStableFunc(found, func(a, b *Decision) int { return a.rank(b) })
		}
	}
	if len(found) == 0 {
		return nil
	}
	for _, d := range found[1:] {
		if d.strict && found[0].strict && d.Node == found[0].Node && d.values[0].since.later {
			found[0].also = append(found[0].also, d)
		}
	}
	return found[0]
}

// Needed are the faults without any of which the violation goes away: circumstances of
// it, which a cache has to bear.
func Needed(sc *testbed.Scenario, p testbed.Params, rec *recording.Recording, f explore.Failure) []option.Setting {
	s := &search{scenario: sc, params: p, rec: rec, failure: f}
	s.look()
	var needed []option.Setting
	for _, fault := range p.Faults.Set() {
		c := faultOf(fault)
		if d := s.decide(c); d != nil && d.strict {
			needed = append(needed, fault)
		}
	}
	return needed
}

// decide tries the remedies of one candidate; nil if it does not decide.
func (s *search) decide(c candidate) *Decision {
	d := &Decision{candidate: c, strict: true}
	var weak []trial
	for _, v := range s.remedies(&c) {
		changed, err := s.with(&c, v.name)
		if err != nil || !s.try(changed, &v) {
			continue
		}
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
