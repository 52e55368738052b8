package main

import (
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// reasons are why a guest violates a property, by scenario and property, where the scenario's own rows of what is known do not say so
// of designs that do as the guest does. A reason begins with what it comes to: "our assumption" if the scenario or a judge
// wants what neither etcd nor Kubernetes promises, "as shipped" if Kubernetes is meant to do so, or the page in findings/. A false alarm is mended. A violation
// without a reason fails the test, and so does a reason without a violation.
var reasons = map[[2]string]string{
	{"kept-pages", "served-as-promised"}:    "as shipped: v0.38.0-alpha.2 drops all snapshots also when a consistency check has passed (snapshotter.SetEnabled), so that etcd answers the pages of lists that began before",
	{"object-writes", "not-found-versions"}: "as shipped: an error of v0.37.2 that there is no object says resourceVersion 0 (kubernetes/kubernetes#138724, mended in 1.38)",
}

// knownOf is what is known of a scenario over designs that do as a guest does.
func knownOf(r *row) ([]known.Violation, error) {
	sc, err := testbed.FindScenario(r.Scenario)
	if err != nil {
		return nil, err
	}
	p := params(sc, r.Etcd)
	return known.Violations(sc, &p), nil
}
