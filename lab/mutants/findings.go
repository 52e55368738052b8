package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim"
)

// sliceOf is how many schedules run before what they found is looked at.
const sliceOf = 200

// few schedules are enough for a look at a campaign.
const few = 10

// look is a digest of the first few schedules, and of what the judges made of them.
func (c *Campaign) look() (uint64, error) {
	r, err := c.run(0, few)
	if err != nil {
		return 0, err
	}
	seen := sim.NewDigest.Word(uint64(r.Hash))
	for _, p := range r.Properties {
		seen = seen.Word(p.Violations).Word(p.Exercised)
	}
	return seen.Sum(), nil
}

func (c *Campaign) run(first, schedules uint64) (*campaign.Result, error) {
	subjects, err := c.Scenario.Subjects(c.Params)
	if err != nil {
		return nil, err
	}
	return campaign.Run(context.Background(), subjects, campaign.Config{
		FirstSeed: first, Seeds: schedules, Workers: 1, Steps: c.Params.Clock.Steps,
	})
}

// findings are what the schedules of a campaign have shown so far.
type findings struct {
	schedules  uint64
	truncated  uint64
	violations map[string]uint64
	// labels are the schedules of each cause of a violation.
	labels    map[explore.Failure]uint64
	exercised map[string]uint64
	// coverage points are how many of the first slice of schedules came to each.
	coveragePoints map[string]uint64
	unexpected     []string
}

func newFindings() *findings {
	return &findings{violations: map[string]uint64{}, labels: map[explore.Failure]uint64{}, exercised: map[string]uint64{}, coveragePoints: map[string]uint64{}}
}

// next runs the next slice of schedules. The error says that a run panicked or did
// not repeat.
func (f *findings) next(c *Campaign) error {
	r, err := c.run(f.schedules, sliceOf)
	if err != nil {
		return err
	}
	first := f.schedules == 0
	f.schedules += r.Schedules
	f.truncated += r.Truncated
	var violated []string
	for _, p := range r.Properties {
		f.violations[p.Name] += p.Violations
		if p.Violations > 0 {
			violated = append(violated, p.Name)
		}
		if first && p.Verdict != model.Vacuous {
			f.exercised[p.Name] = p.Exercised
		}
	}
	for _, x := range r.Failures {
		f.labels[x.Failure] += x.Schedules
	}
	if first {
		for _, s := range r.CoveragePoints {
			f.coveragePoints[s.CoveragePoint.String()] = s.Schedules
		}
	}
	f.unexpected = append(f.unexpected, known.OutcomeOf(c.Scenario, &c.Params, violated).Unexpected...)
	return nil
}

// reasonOf is an error in one line.
func reasonOf(err error) string {
	var p *campaign.PanicError
	if errors.As(err, &p) {
		return fmt.Sprintf("panic: %v", p.Value)
	}
	return fmt.Sprintf("panic: %v", err)
}
