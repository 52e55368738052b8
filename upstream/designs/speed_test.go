package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/cputime"
	"github.com/watchbed/watchbed/scenarios"
)

// BenchmarkLifetimes is how many schedules of issue-15220 are run and judged in a second of processor time.
// Each starts an API server anew. README.md of the module has the figure.
func BenchmarkLifetimes(b *testing.B) {
	p := scenarios.Issue15220.Params
	for _, s := range [][2]string{{"cache", "kubernetes@v0.37.2"}, {"etcd", "3.5.7"}, {"version-check", "none"}} {
		require.NoError(b, p.Set(s[0], s[1]))
	}
	subjects, err := scenarios.Issue15220.Subjects(p)
	require.NoError(b, err)
	of := func(seeds int) {
		_, err := campaign.Run(b.Context(), subjects, campaign.Config{Seeds: uint64(seeds), Workers: 1, Steps: p.Clock.Steps})
		require.NoError(b, err)
	}
	// The guest is loaded before.
	of(1)
	b.ResetTimer()
	before := cputime.Used()
	of(b.N)
	b.ReportMetric(float64(b.N)/(cputime.Used()-before).Seconds(), "lifetimes/cpu-s")
}
