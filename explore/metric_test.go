package explore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

var chosen = sim.NewMetric("test: chosen", sim.Counted, "")

// meter records one choice of ten options in each run.
type meter struct{ tasks }

type meterNode struct{ task }

func (n *meterNode) Start(env *sim.Env) { env.Record(chosen, int64(env.Choose(10, "value"))) }

func newMeter() explore.Subject {
	return &meter{*newTasks(nil, func() {}, 1)}
}

func (m *meter) Build(w *sim.World)   { w.Add("meter", &meterNode{}) }
func (m *meter) Options() sim.Options { return sim.Options{Mode: sim.Timed} }

func metricOf(c *explore.Campaign, m sim.Metric) *explore.MetricTally {
	for i := range c.Metrics {
		if c.Metrics[i].Metric == m {
			return &c.Metrics[i]
		}
	}
	return nil
}

func TestCampaignMergesMetrics(t *testing.T) {
	cfg := explore.Config{Strategy: explore.Random(), Seeds: 1000, Workers: 1, RecheckShare: 1}
	one := explored(t, newMeter, cfg)
	d := metricOf(one, chosen)
	require.EqualValues(t, 1000, d.Count(), "each run counts once, also if it is repeated")
	require.EqualValues(t, 0, d.Min())
	require.EqualValues(t, 9, d.Max())
	require.InDelta(t, 4.5, d.Mean(), 0.3)
	cfg.Workers = 3
	require.Equal(t, d, metricOf(explored(t, newMeter, cfg), chosen))
}
