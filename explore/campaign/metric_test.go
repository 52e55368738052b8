package campaign_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
)

var chosen = metric.New("test: chosen", metric.Counted, "")

// meter records one choice of ten options in each run.
type meter struct{ toys.Idle }

func (n *meter) Start(env *sim.Env)   { env.Record(chosen, int64(env.Choose(10, "value"))) }
func (n *meter) Build(w *sim.World)   { w.Add("meter", n) }
func (n *meter) Options() sim.Options { return sim.Options{Mode: sim.Timed} }

func newMeter() explore.Subject { return &meter{} }

func metricOf(c *campaign.Result, m metric.Metric) *campaign.MetricTally {
	for i := range c.Metrics {
		if c.Metrics[i].Metric == m {
			return &c.Metrics[i]
		}
	}
	return nil
}

func TestCampaignMergesMetrics(t *testing.T) {
	cfg := campaign.Config{Strategy: strategy.Random(), Seeds: 1000, Workers: 1, RecheckShare: 1}
	one := explored(t, newMeter, cfg)
	d := metricOf(one, chosen)
	require.EqualValues(t, 1000, d.Count(), "each run counts once, also if it is repeated")
	require.EqualValues(t, 0, d.Min())
	require.EqualValues(t, 9, d.Max())
	require.InDelta(t, 4.5, d.Mean(), 0.3)
	cfg.Workers = 3
	require.Equal(t, d, metricOf(explored(t, newMeter, cfg), chosen))
}
