package sim_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
)

var (
	testWait  = metric.New("test: wait", metric.Nanoseconds, "")
	testCount = metric.NewCounter("test: count", metric.Counted, "")
)

func measured(mode sim.Mode) *sim.World {
	w := sim.NewWorld(sim.Options{Mode: mode})
	w.Add("a", &clonedProbe{probe{start: func(env *sim.Env) {
		env.Record(testWait, int64(20*time.Millisecond))
		env.Add(testCount, 3)
	}}})
	w.Start(&script{})
	return w
}

type clonedProbe struct{ probe }

func (p *clonedProbe) Clone() sim.Node { return p }

func TestMetricsOfATimedWorld(t *testing.T) {
	w := measured(sim.Timed)
	require.EqualValues(t, 1, w.Metric(testWait).Count())
	require.EqualValues(t, 20*time.Millisecond, w.Metric(testWait).Max())
	require.EqualValues(t, 3, w.Metric(testCount).Sum())

	c, err := w.Clone()
	require.NoError(t, err)
	w.Reset(sim.Options{Mode: sim.Timed})
	require.Zero(t, w.Metric(testWait).Count(), "a world that was reset has measured nothing")
	require.Zero(t, w.Metric(testCount).Sum())
	require.EqualValues(t, 1, c.Metric(testWait).Count(), "a clone keeps its own")
}

func TestNothingIsMeasuredUntimed(t *testing.T) {
	w := measured(sim.Untimed)
	require.Zero(t, w.Metric(testWait).Count())
	require.Zero(t, w.Metric(testCount).Sum())
}
