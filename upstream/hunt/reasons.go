package main

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/scenarios/known"

	"github.com/watchbed/watchbed/upstream/table"
)

// reasonOf is why a guest violates a property: what is known of the scenario with the simulated design of its release. It is empty if
// nothing is known of it.
func reasonOf(l *lot, property string) (string, error) {
	sc, err := table.OverGuest(l.Scenario)
	if err != nil {
		return "", err
	}
	p := params(sc, l.Guest)
	all := known.Violations(sc, &p)
	i := slices.IndexFunc(all, func(v known.Violation) bool { return v.Property.Name == property })
	if i < 0 {
		return "", nil
	}
	return "known: " + all[i].Because[0], nil
}

// amiss are the violations without a reason.
func amiss(lots []lot) ([]string, error) {
	var all []string
	for i := range lots {
		l := &lots[i]
		for _, f := range l.Found {
			reason, err := reasonOf(l, f.Property)
			if err != nil {
				return nil, err
			}
			if reason == "" {
				all = append(all, fmt.Sprintf("%s over %s violates %s (%s) in %d schedules, first with seed %d, and there is no reason for it",
					l.Scenario, l.Guest, f.Property, f.Label, f.Schedules, f.Seed))
			}
		}
	}
	return all, nil
}
