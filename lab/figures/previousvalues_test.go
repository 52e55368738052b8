package figures

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestFiguresOfPreviousValues measures the tables of previousvalues.md.
func TestFiguresOfPreviousValues(t *testing.T) {
	holdTables(t, "previousvalues.md", []table{{"differences", previousDiffers}, {"ends", previousEnds}, {"bytes", previousBytes}})
}

// bothWays runs a scenario with a cache that asks for previous values, and with one that does not.
func bothWays(t *testing.T, sc *testbed.Scenario, schedules uint64, set ...string) (all [2]*campaign.Result) {
	for i, prev := range []string{"asked", "unasked"} {
		p := campaigns.With(t, sc, slices.Concat([]string{"etcd=3.7.3", "cache=v0.38.0-beta.0", "watch-prev-kv=" + prev}, set)...)
		all[i] = campaigns.Run(t, sc, p, campaign.Config{Seeds: schedules})
	}
	return all
}

func previousDiffers(t *testing.T) string {
	claims := []*testbed.Property{caches.MatchEtcd, watches.EventTypes, watches.Reliable, watches.Resumable}
	var b strings.Builder
	b.WriteString("| what befalls the cache | scenario |")
	for _, p := range claims {
		fmt.Fprintf(&b, " %s |", p.Name)
	}
	b.WriteString("\n|---|---|---|---|---|---|\n")
	for _, way := range []struct {
		what string
		sc   *testbed.Scenario
		set  []string
	}{
		{"breaks, restarts, compactions", scenarios.SelectedLists, nil},
		{"an event is lost", scenarios.SelectedLists, []string{"lost-events=1"}},
		{"a deletion is lost", scenarios.SelectedLists, []string{"lost-events=1", "lost=deletion"}},
		{"a change of a value is lost", scenarios.SelectedLists, []string{"lost-events=1", "lost=value"}},
		{"a resourceVersion is lost", scenarios.SelectedLists, []string{"lost-events=1", "lost=version"}},
		{"it lists again, as etcd has compacted", scenarios.WatchDuringRelist, nil},
		{"etcd restarts, installs a snapshot, compacts", scenarios.Outages, nil},
		{"it begins by a stream of initial events, which breaks", scenarios.StreamedCache, nil},
		{"ten events at a time are decoded, some cannot be", scenarios.ConcurrentDecoding, nil},
	} {
		both := bothWays(t, way.sc, 1000, way.set...)
		fmt.Fprintf(&b, "| %s | %s |", way.what, way.sc.Name)
		for _, p := range claims {
			if !slices.Contains(way.sc.Claims, p) {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(&b, " %d / %d |", violations(t, both[0], p), violations(t, both[1], p))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func previousEnds(t *testing.T) string {
	covered := func(c *campaign.Result, point string) uint64 {
		for _, x := range c.CoveragePoints {
			if x.CoveragePoint.String() == point {
				return x.Schedules
			}
		}
		require.Failf(t, "no such coverage point", "%q", point)
		return 0
	}
	var b strings.Builder
	b.WriteString("| schedules of 1,000 in which a watch of a cache ends | scenario | asked | unasked |\n|---|---|---|---|\n")
	for _, way := range []struct {
		what, point string
		sc          *testbed.Scenario
	}{
		{"the value before a change is compacted", "etcd3: a change without previous value ends the watch", scenarios.Rewatch},
		{"the same", "etcd3: a change without previous value ends the watch", scenarios.Outages},
		{"an object cannot be decoded", "etcd3: an object on a watch can never be decoded", scenarios.SelectedLists},
	} {
		var set []string
		if way.sc == scenarios.SelectedLists {
			set = []string{"undecodable=w1.2", "client-kv=true"}
		}
		both := bothWays(t, way.sc, 1000, set...)
		fmt.Fprintf(&b, "| %s | %s | %d | %d |\n", way.what, way.sc.Name, covered(both[0], way.point), covered(both[1], way.point))
	}
	return b.String()
}

func previousBytes(t *testing.T) string {
	both := bothWays(t, scenarios.StalledNeighbours, 40)
	var b strings.Builder
	b.WriteString("| bytes of responses to watches, a schedule | asked | unasked |\n|---|---|---|\n")
	for _, name := range []string{`etcd_network_client_grpc_sent_bytes_total{service="Watch"}`, `etcd_network_client_grpc_sent_bytes_total{service="Watch",field="prev_kv"}`} {
		fmt.Fprintf(&b, "| `%s` | %d | %d |\n", name, sumOf(both[0], name)/40, sumOf(both[1], name)/40)
	}
	return b.String()
}
