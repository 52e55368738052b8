package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/scenarios"
)

// The metrics that KEP-3157 wants watched ("What specific metrics should inform a
// rollback?") move where something is wrong, and only there.

// TestLagShowsACloggedWatch: "apiserver_watch_cache_lag - tells how far behind the server
// is compared to the database".
func TestLagShowsACloggedWatch(t *testing.T) {
	const lag = "apiserver_watch_cache_lag"
	healthy := tally(t, measuredBy(t, scenarios.GuardCascade, "clog=false", "cache=kep-2340"), lag)
	clogged := tally(t, measuredBy(t, scenarios.GuardCascade, "cache=kep-2340"), lag)
	require.NotZero(t, healthy.Count())
	t.Logf("revisions behind: p99 %d without the fault, %d with it", healthy.Quantile(0.99), clogged.Quantile(0.99))
	assert.Greater(t, clogged.Quantile(0.99), 2*healthy.Quantile(0.99))
}

// TestShortWatchesShowFullBuffers: "a large number of short watch requests can indicate
// synchronization issues", and apiserver_terminated_watchers_total says which.
func TestShortWatchesShowFullBuffers(t *testing.T) {
	const duration, terminated = `apiserver_request_duration_seconds{verb="WATCH"}`, "apiserver_terminated_watchers_total"
	roomy := measuredBy(t, scenarios.WatchListFull, "watch-buf=100")
	full := measuredBy(t, scenarios.WatchListFull)
	t.Logf("watches: %d with room, %d without, of which %d were ended", tally(t, roomy, duration).Count(), tally(t, full, duration).Count(), tally(t, full, terminated).Sum())
	assert.Zero(t, tally(t, roomy, terminated).Sum())
	assert.NotZero(t, tally(t, full, terminated).Sum())
	assert.Greater(t, tally(t, full, duration).Count(), tally(t, roomy, duration).Count())
}
