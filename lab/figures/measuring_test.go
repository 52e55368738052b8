package figures

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/testbed"
)

// measuredSchedules is enough for a 99th percentile of some thousand values.
const measuredSchedules = 500

// measuredBy explores a scenario with every delay drawn evenly.
func measuredBy(t *testing.T, sc *testbed.Scenario, settings ...string) *campaign.Result {
	t.Helper()
	return sampled(t, sc, campaigns.With(t, sc, settings...), measuredSchedules)
}

// sampled is measuredBy with so many schedules.
func sampled(t *testing.T, sc *testbed.Scenario, p testbed.Params, schedules uint64) *campaign.Result {
	t.Helper()
	c := campaigns.Run(t, sc, p, campaign.Config{Seeds: schedules, Strategy: strategy.Random()})
	require.Zero(t, c.Truncated)
	return c
}

// tally is a metric of a campaign.
func tally(t *testing.T, c *campaign.Result, name string) *campaign.MetricTally {
	t.Helper()
	for i := range c.Metrics {
		if c.Metrics[i].Metric.String() == name {
			return &c.Metrics[i]
		}
	}
	require.Failf(t, "no such metric", "%q", name)
	return nil
}

// violations is in how many schedules a property is violated. It fails if that was never
// checked.
func violations(t *testing.T, c *campaign.Result, p *testbed.Property) uint64 {
	t.Helper()
	for _, f := range c.Properties {
		if f.Name == p.Name {
			require.NotZero(t, f.Exercised, p.Name)
			return f.Violations
		}
	}
	require.Failf(t, "not claimed", "%s", p.Name)
	return 0
}
