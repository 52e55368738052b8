package table

import (
	"cmp"

	"github.com/watchbed/watchbed/testbed"
)

// amountsTo are scenarios whose one setting does not reach a guest: what is left is another scenario.
var amountsTo = map[string]string{"guard-cascade-limited": "guard-cascade"}

// OverGuest is the scenario whose known violations explain those of a guest: the one of that name, or what is left of it over a guest.
func OverGuest(name string) (*testbed.Scenario, error) {
	return testbed.FindScenario(cmp.Or(amountsTo[name], name))
}
