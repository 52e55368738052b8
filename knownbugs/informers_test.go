package knownbugs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestBugsShowInInformers: a bug from which an informer suffers is found by what
// the informer shows.
func TestBugsShowInInformers(t *testing.T) {
	for _, c := range []struct {
		bug      string
		scenario *testbed.Scenario
		list     string
		property *testbed.Property
		label    string
	}{
		{"kubernetes-49956", scenarios.InformerColdStart, testbed.ListWatch, informers.CatchUp, "behind"},
		{"kubernetes-58545", scenarios.InformerResume, testbed.ListWatch, informers.Monotonic, "went-back"},
		{"kubernetes-58545", scenarios.InformerResume, testbed.WatchList, informers.MatchEtcd, "missing-item"},
		{"kubernetes-59848", scenarios.InformerMoves, testbed.ListWatch, informers.Monotonic, "went-back"},
		{"kubernetes-122805", scenarios.InformerColdStart, testbed.WatchList, informers.CatchUp, "behind"},
		{"etcd-20488", scenarios.InformerResume, testbed.ListWatch, informers.MatchEtcd, "stale-item"},
		{"version-before-store", scenarios.InformerMoves, testbed.WatchList, watches.InitialEvents, "stale-item"},
		{"watcher-missing-prevkv", scenarios.InformerColdStart, testbed.WatchList, watches.InitialEvents, "ghost"},
	} {
		t.Run(c.bug+"/"+c.property.Name, func(t *testing.T) {
			t.Parallel()
			p := c.scenario.Params
			p.Bugs, p.InformerList = []string{c.bug}, c.list
			want := explore.Failure{Property: c.property.Name, Label: c.label}
			subjects, err := c.scenario.Subjects(p)
			require.NoError(t, err)
			result, err := campaign.Run(context.Background(), subjects, campaign.Config{Seeds: 1000, Steps: p.Steps})
			require.NoError(t, err)
			var found uint64
			for _, f := range result.Failures {
				if f.Failure == want {
					found = f.Schedules
				}
			}
			t.Logf("%d of 1000 schedules", found)
			assert.NotZero(t, found, want)
		})
	}
}
