package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// tally is how often a property was checked, and in how many schedules it was violated. It is written as 101, or as
// 101/3 if it was violated.
type tally struct{ Checked, Violated uint64 }

func (t tally) String() string {
	if t.Violated == 0 {
		return fmt.Sprint(t.Checked)
	}
	return fmt.Sprintf("%d/%d", t.Checked, t.Violated)
}

// readTallies reads a property and its tallies, with a space between them.
func readTallies(text []byte, property *string, tallies ...*tally) error {
	words := strings.Fields(string(text))
	if len(words) != 1+len(tallies) {
		return fmt.Errorf("%q: want a property and %d tallies", text, len(tallies))
	}
	*property = words[0]
	for i, t := range tallies {
		checked, violated, _ := strings.Cut(words[1+i], "/")
		if _, err := fmt.Sscan(checked+" "+cmp.Or(violated, "0"), &t.Checked, &t.Violated); err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
	}
	return nil
}

// few is how many schedules of a scenario are run at least: those of a scenario with hundreds of clients take seconds
// each.
const few = 2

// run runs schedules of a scenario. The error is that of a run that did not repeat.
func run(ctx context.Context, sc *testbed.Scenario, p *testbed.Params, cfg campaign.Config) (*campaign.Result, error) {
	subjects, err := sc.Subjects(*p)
	if err != nil {
		return nil, err
	}
	cfg.Steps = p.Clock.Steps
	return campaign.Run(ctx, subjects, cfg)
}

// explained is why a property is violated, of all that is known, nothing if that is not.
func explained(all []known.Violation, property string) []string {
	for _, v := range all {
		if v.Property.Name == property {
			return v.Because
		}
	}
	return nil
}

// amountsTo are scenarios whose one setting does not reach a guest: what is left is another scenario.
var amountsTo = map[string]string{"guard-cascade-limited": "guard-cascade"}

// overGuest is the scenario whose known violations explain those of a guest: the one of that name, or what is left of
// it over a guest.
func overGuest(name string) (*testbed.Scenario, error) {
	return testbed.FindScenario(cmp.Or(amountsTo[name], name))
}

// scenarioKeys are keys of the catalogue's scenarios, in its order, with the versions of etcd of each.
func scenarioKeys(versions func(*testbed.Scenario) []string) []key {
	var all []key
	for _, sc := range testbed.Scenarios() {
		for _, on := range versions(sc) {
			all = append(all, key{sc.Name, on})
		}
	}
	return all
}
