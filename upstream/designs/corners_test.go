package designs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// TestFourCorners: our etcd and etcd's own watch server, our cache and Kubernetes' own, each with each, show both bugs
// of etcd. With -v it says in how many schedules; README.md of the module has the figures.
func TestFourCorners(t *testing.T) {
	for _, c := range []struct {
		sc                *testbed.Scenario
		version, property string
		seeds             int
	}{
		{scenarios.Issue15220, "3.5.7", "linearizable", 200},
		{scenarios.Issue17507, "3.5.12", "answers-in-time", 60},
	} {
		for _, etcd := range []string{c.version, "etcd@v" + c.version} {
			for _, cache := range []string{"kep-2340", "kubernetes@v0.37.2"} {
				got := explored(t, c.sc, c.seeds, "etcd="+etcd, "cache="+cache, "version-check=none")[c.property]
				t.Logf("%s, %s, %s: %d of %d", c.sc.Name, etcd, cache, got.Violations, c.seeds)
				require.NotZero(t, got.Violations, "%s on %s with %s", c.sc.Name, etcd, cache)
			}
		}
	}
}
