package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestBugsShowWhereGoroutinesMayStop: what a cache does wrong between two places of its goroutines is found if they may
// stop there, and only then.
func TestBugsShowWhereGoroutinesMayStop(t *testing.T) {
	for _, bug := range []struct {
		about    string
		scenario *testbed.Scenario
		property string
		settings []string
		over     []over
	}{
		// The revision is in one critical section, and its object in the next one.
		{"torn update", scenarios.ConsistentList, "linearizable", nil, []over{
			{"kubernetes@v0.37.2+torn-update:locks", 1_000, model.Violated},
			{"kubernetes@v0.37.2+torn-update:locks:late", 1_000, model.Violated},
			{"kubernetes@v0.37.2+torn-update", 200, model.Holds},
			{"kubernetes@v0.37.2:locks", 200, model.Holds},
			{"kubernetes@v0.37.2:locks:late", 200, model.Holds},
		}},
		// The timer of bookmarks has to fire while a goroutine that has an event waits for its turn.
		{
			"bookmark ahead", scenarios.WatchListStreams, "bookmarkable",
			[]string{"caches=1", "breaks=0", "restarts=0", "list-watchers=4", "list-rounds=1", "writes=6"},
			[]over{
				{"kubernetes@v0.37.2+bookmark-ahead:late", 500, model.Violated},
				{"kubernetes@v0.37.2+bookmark-ahead", 200, model.Holds},
				{"kubernetes@v0.37.2:late", 200, model.Holds},
			},
		},
		// Of a program only what is between the network and the client has a bound.
		{"slow dispatch", scenarios.StalledNeighbours, "events-in-time", []string{"watch-reading=fast"}, []over{
			{"kubernetes@v0.37.2+slow-dispatch", 3, model.Violated},
			{"kubernetes@v0.37.2", 3, model.Holds},
		}},
	} {
		t.Run(bug.about, func(t *testing.T) {
			for _, c := range bug.over {
				got := explored(t, bug.scenario, c.schedules, append([]string{"etcd=3.6.16", "cache=" + c.cache}, bug.settings...)...)[bug.property]
				require.Equal(t, c.want, got.Verdict, c.cache)
				require.NotZero(t, got.Exercised)
			}
		})
	}
}

// over is what so many schedules say over a guest.
type over struct {
	cache     string
	schedules int
	want      model.Verdict
}
