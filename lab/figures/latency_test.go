package figures

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestFiguresOfLatency measures the table of latency.md and draws its picture.
func TestFiguresOfLatency(t *testing.T) {
	holdTables(t, "latency.md", []table{{"faults", faultsByStage}})
}

// faultsByStage is which stage of the way of an event each fault moves: its 99th percentile is at least three times as
// long, and 10 ms longer, than where nothing is wrong.
func faultsByStage(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| what is wrong | stages that it moves, p99 | all of the way, p99 / max | Kubernetes' total, p99 / max |\n|---|---|---|---|\n")
	var healthy *campaign.Result
	var drawn []report.Series
	for _, row := range []struct {
		what, settings string
		drawn          bool
	}{
		{"nothing", "watch-reading=fast", true},
		{"clients that do not keep up", "watch-reading=every", true},
		{"a decode takes up to 12 ms", "watch-reading=fast decode-time=12ms", false},
		{"two streams break", "watch-reading=fast breaks=2", false},
		{"the same, and syncWatchers runs once a second", "watch-reading=fast breaks=2 sync-interval=1s", false},
		{"a partition", "watch-reading=fast partitions=1", true},
	} {
		sc := scenarios.StalledNeighbours
		settings := append(strings.Fields(row.settings), "writes=100", "faults-for=3s", "latency=true")
		c := campaigns.Run(t, sc, campaigns.With(t, sc, settings...), campaign.Config{Seeds: 40, Strategy: strategy.Random(), RecheckShare: -1, Workers: 1})
		if healthy == nil {
			healthy = c
		}
		var moved []string
		said := func(ns int64) string { return summary.Seconds(time.Duration(ns).Seconds()) }
		for s := range testbed.Stages {
			name := `watch_event_stage_seconds{stage="` + s.String() + `"}`
			before, after := tally(t, healthy, name).Quantile(0.99), tally(t, c, name).Quantile(0.99)
			if after >= 3*before && after >= before+int64(10*time.Millisecond) {
				moved = append(moved, fmt.Sprintf("`%v` %s to %s", s, said(before), said(after)))
			}
		}
		spread := func(name string) string {
			d := tally(t, c, name)
			return said(d.Quantile(0.99)) + " / " + said(d.Max())
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.what, strings.Join(moved, ", "),
			spread("watch_event_seconds"), spread(`apiserver_watch_events_dispatch_duration_seconds{stage="total"}`))
		if row.drawn {
			drawn = append(drawn, report.Series{Name: row.what, Metrics: summary.MetricsOf(c.Metrics)})
		}
	}
	picture(t, drawn)
	return b.String()
}

func picture(t *testing.T, drawn []report.Series) {
	t.Helper()
	path := filepath.Join("..", "..", "scenarios", "latency.svg")
	var b strings.Builder
	require.NoError(t, report.WriteStages(&b, "stalled-neighbours: how long an event is in each stage of its way", drawn))
	if *updateFigures {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		return
	}
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(before), "the picture is stale: go test ./figures -run %s -figures.update", t.Name())
}
