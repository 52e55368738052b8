package property_test

import (
	"testing"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/property"
	"github.com/watchbed/watchbed/scenarios"
)

// A test says that a subject holds under 10,000 schedules: here a scenario, and a subject of one's own in the same way.
func ExampleMustHold() {
	TestConsistentLists := func(t *testing.T) {
		property.MustHold(t, func() explore.Subject {
			system, err := scenarios.ConsistentList.New(scenarios.ConsistentList.Params)
			if err != nil {
				t.Fatal(err)
			}
			return system
		}, 10_000)
	}
	_ = TestConsistentLists
}
