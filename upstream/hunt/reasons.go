package main

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// reasons are why a guest violates a property, by scenario and property, where the scenario's own rows of what is known do not say so of
// designs that do as the guest does. A reason begins with what it comes to: "our assumption" if the scenario or a judge wants what neither etcd
// nor Kubernetes promises, "as shipped" if Kubernetes is meant to do so, "finding" with its page. A false alarm is mended, and its
// seeds run again.
var reasons = map[[2]string]string{
	{"object-writes", "not-found-versions"}: "as shipped: an error of v0.37.2 that there is no object says resourceVersion 0 (kubernetes/kubernetes#138724, mended in 1.38)",
}

// reasonOf is why a guest violates a property, empty if nothing is known of it.
func reasonOf(l *lot, property string) (string, error) {
	if reason := reasons[[2]string{l.Scenario, property}]; reason != "" {
		return reason, nil
	}
	sc, err := testbed.FindScenario(l.Scenario)
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
