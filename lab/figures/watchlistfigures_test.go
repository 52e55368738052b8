package figures

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/properties/informers"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestFiguresOfWatchLists measures the tables of watchlists.md.
func TestFiguresOfWatchLists(t *testing.T) {
	holdTables(t, "watchlists.md", []table{{"full", measuredFull}, {"behind", measuredBehind}, {"without progress", measuredWithoutProgress}})
}

// bufferings are the values of initial-events-buffer, with the coverage points that show
// what each has done.
var bufferings = []struct {
	value string
	acts  []acts
}{
	{"as-shipped", nil},
	{"close-enough", []acts{{"connections torn down", "watch sent to another API server because the cache is too far behind"}}},
	{"dynamic", []acts{{"channels doubled", "channel of a watcher that sends initial events grows"}}},
	{"cap", []acts{
		{"channels doubled", "channel of a watcher that sends initial events grows"},
		{"events beyond the cap", "channel of a watcher that sends initial events has reached its cap"},
	}},
	{"inject", []acts{{"events sent among initial ones", "event sent between initial events"}}},
	{"inject-merged", []acts{
		{"events sent among initial ones", "event sent between initial events"},
		{"put in the place of one", "event takes the place of an initial event"},
	}},
	{"references", []acts{
		{"keys kept", "key kept in place of an object in a watcher's channel"},
		{"objects newer than their event", "object of a kept key is newer than its event"},
	}},
	{"newest-only", []acts{{"events made obsolete", "event in a watcher's channel made obsolete by the next one of its object"}}},
}

// acts is something that a buffering does: in words, and the coverage point that counts it.
type acts struct{ words, coveragePoint string }

// measuredFull is what each option for a full buffer costs where the client is slow.
func measuredFull(t *testing.T) string {
	return bufferTable(t, scenarios.WatchListFull, "apiserver_watch_list_duration_seconds", "initial-events-end=timer")
}

// measuredBehind is what each option costs where the cache is behind.
func measuredBehind(t *testing.T) string {
	return bufferTable(t, scenarios.WatchListBehind, "informer_sync_duration_seconds")
}

// bufferTable is a table with a row for each option for a full buffer; took is the
// metric of the time that clients wait.
func bufferTable(t *testing.T, sc *testbed.Scenario, took string, settings ...string) string {
	var b strings.Builder
	b.WriteString("| option | `initial-events` | what it did | ended before the end | kept, most | objects, most | time, p50 / p99 |\n|---|---|---|---|---|---|---|\n")
	for _, o := range bufferings {
		c := measuredBy(t, sc, append(settings, "initial-events-buffer="+o.value)...)
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %d | %s / %s |\n", o.value, verdictOf(t, c, watches.InitialEvents), actsOf(t, c, o.acts),
			tally(t, c, `apiserver_terminated_watchers_total{initial_events="unfinished"}`).Sum(),
			tally(t, c, "initial_events_buffer_entries").Max(),
			tally(t, c, "initial_events_buffer_objects").Max(),
			seconds(tally(t, c, took).Quantile(0.5)), seconds(tally(t, c, took).Quantile(0.99)))
	}
	return b.String()
}

// measuredWithoutProgress is what becomes of informers that stream, by what etcd sends
// and by what tells the cache, or them.
func measuredWithoutProgress(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| settings | `informer-catches-up` | streams that ended | lists in place of a stream | time to the first store, p50 / p99 |\n|---|---|---|---|---|\n")
	for _, settings := range []string{
		"", "notify=5s", "watch-list-detection=notified", "watch-list-detection=unasked", "watch-list-detection=unasked notify=5s",
		"informer-stream-patience=10s", "cache=v0.37.2", "cache=v0.37.2 etcd=3.5.12", "cache=kep-2340 etcd=3.5.12",
	} {
		c := measuredBy(t, scenarios.WatchListWithoutProgress, strings.Fields(settings)...)
		took := tally(t, c, "informer_sync_duration_seconds")
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s / %s |\n", quotedEach(settings), verdictOf(t, c, informers.CatchUp),
			campaigns.Times(t, c, "informer: initial events ended by a bookmark"), campaigns.Times(t, c, "informer: list in place of a stream"),
			seconds(took.Quantile(0.5)), seconds(took.Quantile(0.99)))
	}
	return b.String()
}

func quotedEach(settings string) string {
	if settings == "" {
		return "-"
	}
	return "`" + strings.Join(strings.Fields(settings), "`, `") + "`"
}

func verdictOf(t *testing.T, c *campaign.Result, p *testbed.Property) string {
	t.Helper()
	for _, f := range c.Properties {
		switch {
		case f.Name != p.Name:
		case f.Violations > 0:
			return fmt.Sprintf("**violated** in %d schedules", f.Violations)
		default:
			require.NotZero(t, f.Exercised)
			return "holds"
		}
	}
	require.Failf(t, "not claimed", "%s", p.Name)
	return ""
}

func actsOf(t *testing.T, c *campaign.Result, all []acts) string {
	if len(all) == 0 {
		return "-"
	}
	var done []string
	for _, a := range all {
		done = append(done, fmt.Sprintf("%d %s", campaigns.Times(t, c, "cache: "+a.coveragePoint), a.words))
	}
	return strings.Join(done, ", ")
}

// seconds is a time in seconds, to three digits.
func seconds(ns int64) string {
	return fmt.Sprintf("%.3g s", time.Duration(ns).Seconds())
}
