package plant

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/knownbugs/detection"
	"github.com/watchbed/watchbed/testbed"
)

// Choice is the scenario to run for bugs that were named without one.
type Choice struct {
	Scenario *testbed.Scenario
	// Strategy is the one with which the first bug is looked for; empty is the default.
	Strategy string
	// Bugs are those that have to be planted: the scenario may have some already.
	Bugs []string
	// Why says in one line why it is this scenario.
	Why string
}

// Choose takes the scenario in which all of these bugs show: that in which the first one
// was measured if the others show there, too. What else is asked for changes its parameters.
// The error is one line.
func Choose(names []string, change func(*testbed.Params) error) (Choice, error) {
	var bugs []*testbed.KnownBug
	for _, name := range names {
		b, err := testbed.FindBug(name)
		if err != nil {
			return Choice{}, err
		}
		bugs = append(bugs, b)
	}
	first := bugs[0]
	for _, sc := range append([]*testbed.Scenario{first.Scenario}, first.Also...) {
		if slices.ContainsFunc(bugs, func(b *testbed.KnownBug) bool { return !b.ShowsIn(sc) }) {
			continue
		}
		p := sc.Params
		if err := change(&p); err != nil {
			return Choice{}, err
		}
		c := Choice{Scenario: sc, Strategy: first.Strategy, Why: "the scenario is " + sc.Name}
		var shows []string
		for _, b := range bugs {
			shows = append(shows, b.Name+" shows there by "+b.Property.Name+soon(b, sc))
			if p.Has(b.Name) {
				shows[len(shows)-1] += ", and etcd " + p.Etcd + " with the cache design " + p.Cache + " has it anyway"
			} else {
				c.Bugs = append(c.Bugs, b.Name)
			}
		}
		c.Why += ": " + strings.Join(shows, "; ")
		if c.Strategy != "" {
			c.Why += "; the strategy is " + c.Strategy
		}
		return c, nil
	}
	var places []string
	for _, b := range bugs {
		places = append(places, b.Name+" in "+b.Scenario.Name)
	}
	return Choice{}, fmt.Errorf("which scenario? none is known to show all of these bugs: %s", strings.Join(places, ", "))
}

// soon is the measured figure of a bug in its scenario, empty if there is none.
func soon(b *testbed.KnownBug, sc *testbed.Scenario) string {
	if f, ok := detection.Of(b.Name); ok && f.Scenario == sc.Name {
		return " (" + f.String() + ")"
	}
	return ""
}
