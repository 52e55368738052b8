package main

import (
	"github.com/watchbed/watchbed/scenarios/known"

	"github.com/watchbed/watchbed/upstream/table"
)

// knownOf is what is known of a scenario with the simulated design of a guest's release: the reasons of what the guest violates. A
// violation without a reason fails the test. A false alarm is mended.
func knownOf(r *row) ([]known.Violation, error) {
	sc, err := table.OverGuest(r.Scenario)
	if err != nil {
		return nil, err
	}
	p := params(sc, r.Etcd)
	return known.Violations(sc, &p), nil
}
