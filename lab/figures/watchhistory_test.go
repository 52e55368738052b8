package figures

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/informers"
)

// listsTook is the metric of LISTs that API servers answer.
const listsTook = `apiserver_request_duration_seconds{verb="LIST"}`

// TestWatchHistoryUntilCompacted measures what a history of events that is compacted with
// etcd spares, and what it costs informers: with bookmarks their resourceVersion is a
// minute old at most, and the last interval of compactions is always there.
func TestWatchHistoryUntilCompacted(t *testing.T) {
	held := func(history string) (events, bytes float64) {
		c := sampled(t, scenarios.CompactedHistory, campaigns.With(t, scenarios.CompactedHistory, "writers=2", "writes=24", "think=30s", "watch-history="+history), 40)
		e, b := tally(t, c, "cache_history_events"), tally(t, c, "cache_history_bytes")
		events, bytes = float64(e.Sum())/float64(e.Count()), float64(b.Sum())/float64(b.Count())
		t.Logf("%s: %.1f events, %.0f B", history, events, bytes)
		return events, bytes
	}
	events, bytes := held("until-full")
	fewer, less := held("until-compacted")
	assert.Less(t, fewer, events/2)
	assert.Less(t, less, bytes/2)

	lists := func(history, withoutBookmarks string) uint64 {
		sc := informers.QuietResource
		c := sampled(t, sc, campaigns.With(t, sc, "compactors=true", "watch-history="+history, "informer-no-bookmarks="+withoutBookmarks), 40)
		n := tally(t, c, listsTook).Count()
		t.Logf("%s, informers without bookmarks: %s: %d LISTs", history, withoutBookmarks, n)
		return n
	}
	assert.Equal(t, lists("until-full", "false"), lists("until-compacted", "false"))
	assert.Less(t, lists("until-full", "true"), lists("until-compacted", "true"))
}
