package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

// TestRacesBetweenCriticalSectionsShowAtLocks: a cache that has a new revision in one critical section and its object in the
// next one is seen in between if its goroutines give way at locks, and only then.
func TestRacesBetweenCriticalSectionsShowAtLocks(t *testing.T) {
	for _, c := range []struct {
		cache     string
		schedules int
		want      model.Verdict
	}{
		{"kubernetes@v0.37.2+torn-update:locks", 1_000, model.Violated},
		{"kubernetes@v0.37.2+torn-update", 200, model.Holds},
		{"kubernetes@v0.37.2:locks", 200, model.Holds},
	} {
		got := explored(t, scenarios.ConsistentList, c.schedules, "etcd=3.6.16", "cache="+c.cache)["linearizable"]
		require.Equal(t, c.want, got.Verdict, c.cache)
		require.NotZero(t, got.Exercised)
	}
}
