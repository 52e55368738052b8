package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAmounts(t *testing.T) {
	for _, x := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0, "s", "0"},
		{0.0000015, "s", "1.5 us"},
		{0.0015, "s", "1.5 ms"},
		{0.0975, "s", "97.5 ms"},
		{0.25, "s", "250 ms"},
		{3, "s", "3 s"},
		{2.345, "s", "2.35 s"},
		{999, "bytes", "999 B"},
		{1170, "bytes", "1.17 kB"},
		{18.8e6, "bytes", "18.8 MB"},
		{12000, "", "12000"},
	} {
		assert.Equal(t, x.want, amount(x.value, x.unit))
	}
}

func TestMetricsAsTables(t *testing.T) {
	var b bytes.Buffer
	writeMetrics(&b, Terminal{}, []Measured{
		{Name: "apiserver_watch_cache_read_wait_seconds", Unit: "s", Count: 14287, Of: &Distribution{P50: 0.0383, P99: 0.0975, Max: 0.174}},
		{Name: "etcd_progress_requests_total", Total: 9936},
		{Name: "etcd_response_bytes_total", Unit: "bytes", Total: 117000},
	})
	require.Equal(t, strings.TrimPrefix(`
  in virtual time                          count      p50      p99     max
  apiserver_watch_cache_read_wait_seconds  14287  38.3 ms  97.5 ms  174 ms

  counted                        total
  etcd_progress_requests_total    9936
  etcd_response_bytes_total     117 kB

`, "\n"), b.String())
}
