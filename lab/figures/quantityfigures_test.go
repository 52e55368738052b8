package figures

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestFiguresOfQuantities measures the tables of quantities.md.
func TestFiguresOfQuantities(t *testing.T) {
	holdTables(t, "quantities.md", []table{{"progress period", measuredProgressPeriods}, {"consistency checks", measuredChecksBy}})
}

// measuredProgressPeriods is what a consistent LIST waits, and what it costs etcd, with the
// period of progress requests. The longer the period the longer the waits: that is checked,
// whatever the table has.
func measuredProgressPeriods(t *testing.T) string {
	const wait = "consistent_read_wait_seconds"
	var b strings.Builder
	b.WriteString("| period | wait, p50 / p99 / most | progress requests a LIST | bound | slowest LIST | within the bound of 100 ms | busy: wait, p50 / p99 | busy: progress requests a LIST |\n|---|---|---|---|---|---|---|---|\n")
	fixed := boundOfRead(t, scenarios.CostElsewhere)
	last := int64(0)
	for _, period := range []string{"50ms", "100ms", "250ms", "1s"} {
		set := []string{"etcd=3.6.16", "progress-period=" + period}
		quiet, busy := measuredBy(t, scenarios.CostElsewhere, set...), measuredBy(t, scenarios.CostBusy, set...)
		waits, busyWaits := tally(t, quiet, wait), tally(t, busy, wait)
		lists := tally(t, quiet, `apiserver_request_duration_seconds{verb="LIST"}`)
		slowest, bound := time.Duration(lists.Max()), boundOfRead(t, scenarios.CostElsewhere, set...)
		require.Greater(t, waits.Quantile(0.99), last, "a LIST waits for progress")
		require.LessOrEqual(t, slowest, bound)
		last = waits.Quantile(0.99)
		within := "yes"
		if slowest > fixed {
			within = "**no**"
		}
		fmt.Fprintf(&b, "| %s | %s / %s / %s | %.2f | %v | %s | %s | %s / %s | %.2f |\n", period,
			seconds(waits.Quantile(0.5)), seconds(last), seconds(waits.Max()),
			float64(tally(t, quiet, "etcd_progress_requests_total").Sum())/float64(lists.Count()),
			bound, seconds(int64(slowest)), within,
			seconds(busyWaits.Quantile(0.5)), seconds(busyWaits.Quantile(0.99)),
			float64(tally(t, busy, "etcd_progress_requests_total").Sum())/float64(tally(t, busy, `apiserver_request_duration_seconds{verb="LIST"}`).Count()))
	}
	return b.String()
}

// measuredChecksBy is what a consistency check of KEP-4988 costs, by what etcd is asked for.
func measuredChecksBy(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| `check-by` | objects | requests a check | bytes from etcd a check | a check takes, p50 / p99 |\n|---|---|---|---|---|\n")
	for _, by := range []string{"list", "etcd-hash"} {
		for _, objects := range []string{"100", "1000", "10000"} {
			c := sampled(t, scenarios.CostElsewhere, campaigns.With(t, scenarios.CostElsewhere, "etcd=3.6.16", "consistency-checker=fallback", "snapshots=on",
				"check-period=500ms", "page=500", "range-time=1ms", "item-time=10us", "items="+objects, "keys="+objects, "check-by="+by), 20)
			checks := float64(tally(t, c, `apiserver_storage_consistency_checks_total{status="success"}`).Sum())
			took := tally(t, c, "consistency_check_duration_seconds")
			fmt.Fprintf(&b, "| %s | %s | %.0f | %.0f | %s / %s |\n", by, objects,
				float64(tally(t, c, "consistency_check_etcd_requests_total").Sum())/checks, float64(tally(t, c, "consistency_check_etcd_bytes_total").Sum())/checks,
				seconds(took.Quantile(0.5)), seconds(took.Quantile(0.99)))
		}
	}
	return b.String()
}

// boundOfRead is how long a consistent LIST of a scenario may take.
func boundOfRead(t *testing.T, sc *testbed.Scenario, settings ...string) time.Duration {
	t.Helper()
	s, err := sc.New(campaigns.With(t, sc, settings...))
	require.NoError(t, err)
	return s.ReadBound().Total
}
