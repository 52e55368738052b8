package scenariotest_test

import (
	"testing"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenariotest"
)

// A test of another module says that a scenario must hold: it would be called
// TestConsistentListsOnOurEtcd, and go test would run it.
func Example() {
	TestConsistentListsOnOurEtcd := func(t *testing.T) {
		p := scenarios.ConsistentList.Params
		p.Etcd = "3.5.21"
		scenariotest.MustHold(t, scenarios.ConsistentList, p, 10_000)
	}
	_ = TestConsistentListsOnOurEtcd
}
