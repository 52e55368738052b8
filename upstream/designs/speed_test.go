package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/cputime"
	"github.com/watchbed/watchbed/scenarios"
)

// BenchmarkLifetimes is how many schedules of issue-15220 are run and judged in a second of processor time, each from
// the start of the code that ships: Kubernetes' cache, etcd's watch server, and both. README.md of the module has the figures.
func BenchmarkLifetimes(b *testing.B) {
	for _, of := range []struct{ name, cache, etcd string }{
		{"cache", "kubernetes@v0.37.2", "3.5.7"},
		{"etcd", "kep-2340", "etcd@v3.5.7"},
		{"both", "kubernetes@v0.37.2", "etcd@v3.5.7"},
	} {
		b.Run(of.name, func(b *testing.B) { lifetimes(b, of.cache, of.etcd) })
	}
}

func lifetimes(b *testing.B, cache, etcd string) {
	p := scenarios.Issue15220.Params
	for _, s := range [][2]string{{"cache", cache}, {"etcd", etcd}, {"version-check", "none"}} {
		require.NoError(b, p.Set(s[0], s[1]))
	}
	subjects, err := scenarios.Issue15220.Subjects(p)
	require.NoError(b, err)
	run := func(seeds int) {
		_, err := campaign.Run(b.Context(), subjects, campaign.Config{Seeds: uint64(seeds), Workers: 1, Steps: p.Clock.Steps})
		require.NoError(b, err)
	}
	// The guest is loaded before.
	run(1)
	b.ResetTimer()
	before := cputime.Used()
	run(b.N)
	b.ReportMetric(float64(b.N)/(cputime.Used()-before).Seconds(), "lifetimes/cpu-s")
}
