package campaign_test

import (
	"context"
	"testing"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/strategy"
)

// BenchmarkRun is a campaign of one worker, with everything that counts and
// rechecks: compare with BenchmarkStrategies/random of explore/strategy.
func BenchmarkRun(b *testing.B) {
	b.ReportAllocs()
	var choices uint64
	for b.Loop() {
		c, err := campaign.Run(context.Background(), func() explore.Subject { return &toys.Echo{} },
			campaign.Config{Strategy: strategy.Random(), Seeds: 3200, Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		choices += c.Stats.Choices
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(choices), "ns/choice")
}
