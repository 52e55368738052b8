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

// TestFiguresOfLatency measures the tables of latency.md and draws its picture.
func TestFiguresOfLatency(t *testing.T) {
	holdTables(t, "latency.md", []table{{"faults", faultsByStage}, {"releases", byRelease}})
}

// onTheWay runs stalled-neighbours for the stages of its events.
func onTheWay(t *testing.T, settings ...string) *campaign.Result {
	sc := scenarios.StalledNeighbours
	p := campaigns.With(t, sc, append(settings, "writes=100", "faults-for=3s", "latency=true")...)
	return campaigns.Run(t, sc, p, campaign.Config{Seeds: 40, Strategy: strategy.Random(), RecheckShare: -1, Workers: 1})
}

// byRelease is how long an event is on its way with each release of etcd and each design, and the stage in which it is
// longest. Those in which nothing differs share a row.
func byRelease(t *testing.T) string {
	faults := []struct{ what, settings string }{
		{"nothing is wrong", "watch-reading=fast"}, {"clients do not keep up", "watch-reading=every"},
		{"two streams break", "watch-reading=fast breaks=2"}, {"a partition", "watch-reading=fast partitions=1"},
	}
	var rows []string
	having := map[string][]string{}
	for _, design := range []string{"kep-2340", "v0.37.2", "v0.38.0-beta.0", "etcd-cache"} {
		for _, etcd := range []string{"3.5.35", "3.6.16", "3.7.3"} {
			row := ""
			for _, f := range faults {
				row += wayOf(t, onTheWay(t, append(strings.Fields(f.settings), "etcd="+etcd, "cache="+design)...))
			}
			if having[row] == nil {
				rows = append(rows, row)
			}
			having[row] = append(having[row], design+" on "+etcd)
		}
	}
	var b strings.Builder
	head, line := "| design, on etcd |", "|---|"
	for _, f := range faults {
		head, line = head+" "+f.what+" |", line+"---|"
	}
	fmt.Fprintf(&b, "%s\n%s\n", head, line)
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |%s\n", strings.Join(having[row], ", "), row)
	}
	return b.String()
}

// wayOf is how long events were on their way, and in which stage longest.
func wayOf(t *testing.T, c *campaign.Result) string {
	var longest testbed.Stage
	var most int64
	for s := range testbed.Stages {
		if p99 := tally(t, c, `watch_event_stage_seconds{stage="`+s.String()+`"}`).Quantile(0.99); p99 > most {
			longest, most = s, p99
		}
	}
	d := tally(t, c, "watch_event_seconds")
	return fmt.Sprintf(" %s / %s / %s, `%v` %s |", said(d.Quantile(0.5)), said(d.Quantile(0.99)), said(d.Max()), longest, said(most))
}

func said(ns int64) string { return summary.Seconds(time.Duration(ns).Seconds()) }

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
		c := onTheWay(t, strings.Fields(row.settings)...)
		if healthy == nil {
			healthy = c
		}
		var moved []string
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
