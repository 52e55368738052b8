package main

import (
	"cmp"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// amountsTo are scenarios whose one setting does not reach a guest: what is left is another scenario, and what is known of that.
var amountsTo = map[string]string{"guard-cascade-limited": "guard-cascade"}

// knownOf is what is known of a scenario with the simulated design of a guest's release: the reasons of what the guest violates. A
// violation without a reason fails the test. A false alarm is mended.
func knownOf(r *row) ([]known.Violation, error) {
	sc, err := testbed.FindScenario(cmp.Or(amountsTo[r.Scenario], r.Scenario))
	if err != nil {
		return nil, err
	}
	p := params(sc, r.Etcd)
	return known.Violations(sc, &p), nil
}
