package clusterbed

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
)

// lifetime is a short life of a cluster: three puts, two linearizable reads, a watch, and a change of the leader.
func lifetime(warm bool) Config {
	c := Default("cluster@v3.6.16")
	c.Warm, c.Clients, c.Operations, c.Think, c.Watchers = warm, 1, 5, 20*time.Millisecond, 1
	c.Shares = Shares{Get: 2, Put: 3}
	c.Boot, c.For, c.Faults = 1200*time.Millisecond, 1400*time.Millisecond, Faults{Moves: 1, All: true}
	if warm {
		c.Boot, c.For = 0, 200*time.Millisecond
	}
	return c
}

func BenchmarkLifetimes(b *testing.B) {
	for _, warm := range []bool{false, true} {
		b.Run(fmt.Sprintf("warm=%v", warm), func(b *testing.B) {
			subjects, err := lifetime(warm).Subjects()
			require.NoError(b, err)
			r := explore.NewRunner(subjects(), Steps)
			by := strategy.Random().New(strategy.Profile{})
			steps := uint64(0)
			for seed := uint64(0); b.Loop(); seed++ {
				by.Begin(seed)
				steps += r.Run(by).Stats.Picks
			}
			b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
		})
	}
}
