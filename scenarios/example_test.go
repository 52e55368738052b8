package scenarios_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/property"
	"github.com/watchbed/watchbed/scenarios"
)

// Explore a scenario with other parameters than its own, and ask what held.
func Example_explore() {
	for _, version := range []string{"3.5.7", "3.5.13"} {
		p := scenarios.Issue15220.Params
		p.Etcd = version
		subjects, err := scenarios.Issue15220.Subjects(p)
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := campaign.Run(context.Background(), subjects, campaign.Config{Seeds: 500})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("etcd", version, result.Verdict())
	}
	// Output:
	// etcd 3.5.7 violated
	// etcd 3.5.13 holds
}

// TestConsistentListHolds is what the README shows, small enough for every run.
func TestConsistentListHolds(t *testing.T) {
	subjects, err := consistentLists("3.5.21")
	if err != nil {
		t.Fatal(err)
	}
	property.MustHold(t, subjects, 300)
}

// TestScheduledByRapid lets rapid draw the schedules of a scenario, one slice of
// choices each.
func TestScheduledByRapid(t *testing.T) {
	subjects, err := consistentLists("3.6.16")
	if err != nil {
		t.Fatal(err)
	}
	property.Check(t, subjects, 300)
}

func consistentLists(version string) (func() explore.Subject, error) {
	p := scenarios.ConsistentList.Params
	p.Etcd = version
	return scenarios.ConsistentList.Subjects(p)
}
