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
		cache string
		want  model.Verdict
	}{
		{"kubernetes@v0.37.2+torn-update:locks", model.Violated},
		{"kubernetes@v0.37.2+torn-update", model.Holds},
		{"kubernetes@v0.37.2:locks", model.Holds},
	} {
		got := explored(t, scenarios.ConsistentList, 200, "etcd=3.6.16", "cache="+c.cache)["linearizable"]
		require.Equal(t, c.want, got.Verdict, c.cache)
		require.NotZero(t, got.Exercised)
	}
}
