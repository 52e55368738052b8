package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

// TestWhatComesBeforeALateGoroutineShows: a cache whose bookmarks say how far its store is, and not which events were dispatched, is
// found if the timer of bookmarks can fire while a goroutine that has an event waits for its turn, and only then.
func TestWhatComesBeforeALateGoroutineShows(t *testing.T) {
	for _, c := range []struct {
		cache     string
		schedules int
		want      model.Verdict
	}{
		{"kubernetes@v0.37.2+bookmark-ahead:late", 500, model.Violated},
		{"kubernetes@v0.37.2+bookmark-ahead", 200, model.Holds},
		{"kubernetes@v0.37.2:late", 200, model.Holds},
	} {
		got := explored(t, scenarios.WatchListStreams, c.schedules, "etcd=3.6.16", "cache="+c.cache, "caches=1", "breaks=0", "restarts=0",
			"list-watchers=4", "list-rounds=1", "writes=6")["bookmarkable"]
		require.Equal(t, c.want, got.Verdict, c.cache)
		require.NotZero(t, got.Exercised)
	}
}
