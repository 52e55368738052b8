package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// Baseline is what the code as it was written does in a campaign.
type Baseline struct {
	Campaign string
	// Schedules is how many it takes until every violation that must be found has
	// been found often.
	Schedules uint64
	// Expected are these violations, by property.
	Expected []string
	// Labels are the causes with which these were found often.
	Labels []explore.Failure
	// Exercised is how often each property was checked in the first schedules, for those
	// that were checked often.
	Exercised []Checks
	// CoveragePoints are those that came about in many schedules.
	CoveragePoints []string
	// Elsewhere: a bug is planted that is looked for in other scenarios. What it violates in this one of which nothing
	// is known is Violated; anything else is wrong if it is violated often.
	Elsewhere bool
	Violated  []string
	// Seen is the digest of a look at it.
	Seen uint64
	// Truncated: some runs are cut off by the limit of steps.
	Truncated bool
	// Entered are the functions with mutants that began, by their numbers.
	Entered []int
	CPU     time.Duration
}

const (
	// often is how many hits are expected where none would be noticed: none by
	// accident has a chance of about e^-20.
	often = 20
	// most is how many schedules a campaign has at most. What has not been found
	// often by then is not expected of it.
	most = 4_000
)

// MeasureBaseline runs a campaign on the code as it was written. It returns an error if
// something is violated of which nothing is known: then no mutant could be judged.
func MeasureBaseline(c *Campaign, entered func() []int) (*Baseline, error) {
	start := cpuTime()
	entered()
	seen, err := c.look()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	f := newFindings()
	expected := known.Names(known.Expected(c.Scenario, &c.Params))
	for f.schedules < most {
		if err := f.next(c); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		if !slices.ContainsFunc(expected, func(p string) bool { return f.violations[p] < often }) && !f.soonOften(expected) {
			break
		}
	}
	elsewhere := slices.ContainsFunc(c.Params.Planted(), func(b *testbed.KnownBug) bool { return !b.ShowsIn(c.Scenario) })
	if elsewhere {
		if err := f.next(c); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	} else if len(f.unexpected) > 0 {
		return nil, fmt.Errorf("%s: %v violated, of which nothing is known", c.Name, f.unexpected)
	}
	expected = slices.DeleteFunc(expected, func(p string) bool { return f.violations[p] < often })
	return &Baseline{
		Campaign: c.Name, Schedules: f.schedules,
		Expected: expected, Labels: f.labelsOf(expected),
		Exercised: checksOf(f.exercised), CoveragePoints: frequent(f.coveragePoints),
		Elsewhere: elsewhere, Violated: f.unexpected, Seen: seen, Truncated: f.truncated > 0, Entered: entered(), CPU: cpuTime() - start,
	}, nil
}

// soonOften reports whether one more cause of a violation of these properties would have
// been found often after a few times as many schedules.
func (f *findings) soonOften(properties []string) bool {
	for x, n := range f.labels {
		if often/kept <= n && n < often && slices.Contains(properties, x.Property) {
			return true
		}
	}
	return false
}

// labelsOf are the causes with which these properties were found violated often.
func (f *findings) labelsOf(properties []string) []explore.Failure {
	all := slices.Collect(maps.Keys(f.labels))
	all = slices.DeleteFunc(all, func(x explore.Failure) bool { return f.labels[x] < often || !slices.Contains(properties, x.Property) })
	slices.SortFunc(all, func(a, b explore.Failure) int {
		return cmp.Or(cmp.Compare(a.Property, b.Property), cmp.Compare(a.Label, b.Label))
	})
	return all
}

// Checks is how often a property was checked.
type Checks struct {
	Property string
	Count    uint64
}

// kept is the part of its checks that a property must keep. Draws that fall another
// way change a count of 20 or more by less.
const kept = 4

// tooFew reports whether so many checks are far fewer than there were.
func (c *Checks) tooFew(now uint64) bool { return now < c.Count/kept }

// checksOf are the properties that were checked often, by name.
func checksOf(counts map[string]uint64) []Checks {
	var all []Checks
	for _, p := range frequent(counts) {
		all = append(all, Checks{p, counts[p]})
	}
	return all
}

// frequent are the names that were counted often.
func frequent(counts map[string]uint64) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(counts)), func(name string) bool { return counts[name] < often })
}
