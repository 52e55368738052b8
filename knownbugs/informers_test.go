package knownbugs_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	scenarioinformers "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/testbed"
)

// TestBugsShowInInformers: a bug from which an informer suffers is found by what
// the informer shows.
func TestBugsShowInInformers(t *testing.T) {
	for _, c := range []struct {
		bug      string
		scenario *testbed.Scenario
		list     informer.ListMode
		property *testbed.Property
		label    string
	}{
		{"kubernetes-49956", scenarioinformers.ColdStart, informer.ByListWatch, informers.CatchUp, "behind"},
		{"kubernetes-58545", scenarioinformers.Resume, informer.ByListWatch, informers.Monotonic, "went-back"},
		{"kubernetes-58545", scenarioinformers.Resume, informer.ByWatchList, informers.MatchEtcd, "missing-item"},
		{"kubernetes-59848", scenarioinformers.Moves, informer.ByListWatch, informers.Monotonic, "went-back"},
		{"kubernetes-122805", scenarioinformers.ColdStart, informer.ByWatchList, informers.CatchUp, "behind"},
		{"etcd-20488", scenarioinformers.Resume, informer.ByListWatch, informers.MatchEtcd, "stale-item"},
		{"version-before-store", scenarioinformers.Moves, informer.ByWatchList, watches.InitialEvents, "stale-item"},
		{"watcher-missing-prevkv", scenarioinformers.ColdStart, informer.ByWatchList, watches.InitialEvents, "ghost"},
	} {
		t.Run(c.bug+"/"+c.property.Name, func(t *testing.T) {
			t.Parallel()
			p := c.scenario.Params
			p.Bugs, p.Informers.List = []string{c.bug}, c.list
			want := explore.Failure{Property: c.property.Name, Label: c.label}
			subjects, err := c.scenario.Subjects(p)
			require.NoError(t, err)
			result, err := campaign.Run(context.Background(), subjects, campaign.Config{Seeds: testsize.Of[uint64](1000, 300), Steps: p.Clock.Steps})
			require.NoError(t, err)
			var found uint64
			for _, f := range result.Failures {
				if f.Failure == want {
					found = f.Schedules
				}
			}
			t.Logf("%d of %d schedules", found, result.Schedules)
			assert.NotZero(t, found, want)
		})
	}
}
