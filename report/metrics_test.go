package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/summary"
)

func TestMetricsAsTables(t *testing.T) {
	p := Text(Terminal{}, "metrics", &summary.Summary{Metrics: []summary.Metric{
		{Name: "apiserver_watch_cache_read_wait_seconds", Unit: "s", Count: 14287, Of: &summary.Distribution{P50: 0.0383, P99: 0.0975, Max: 0.174}},
		{Name: "etcd_progress_requests_total", Total: 9936},
		{Name: "etcd_response_bytes_total", Unit: "bytes", Total: 117000},
	}})
	require.Equal(t, strings.TrimPrefix(`
  in virtual time                           count      p50      p99     max
  apiserver_watch_cache_read_wait_seconds  14,287  38.3 ms  97.5 ms  174 ms

  counted                        total
  etcd_progress_requests_total    9936
  etcd_response_bytes_total     117 kB

`, "\n"), p.laidOut())
}

func TestGrouped(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 13195: "13,195", 1234567: "1,234,567"} {
		require.Equal(t, want, grouped(n))
	}
}
