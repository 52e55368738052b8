package scenarios

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/testbed"
)

// The figures of the documents, by hand. Each test says whether the bed bears one
// out, and if it does not, what shows why.

// Seeds that give some thousand values of each metric.
const (
	readSeeds      = 150
	watchListSeeds = 2500
)

// measured is what a campaign measured, every delay drawn evenly. Each change is
// a parameter, name=value.
type measured struct {
	t *testing.T
	c *campaign.Result
}

func measuring(t *testing.T, sc *testbed.Scenario, seeds uint64, changes ...testbed.Parameter) measured {
	t.Helper()
	p := sc.Params
	for _, change := range changes {
		require.NoError(t, p.Set(change.Name, change.Value))
	}
	subjects, err := sc.Subjects(p)
	require.NoError(t, err)
	c, err := campaign.Run(context.Background(), subjects, campaign.Config{Strategy: strategy.Random(), Seeds: seeds, Steps: p.Steps})
	require.NoError(t, err)
	require.Zero(t, c.Truncated)
	return measured{t, c}
}

// set is one change of the parameters.
func set(name, value string) testbed.Parameter { return testbed.Parameter{Name: name, Value: value} }

func (m measured) of(name string) *campaign.MetricTally {
	m.t.Helper()
	for i := range m.c.Metrics {
		if m.c.Metrics[i].Metric.String() == name {
			return &m.c.Metrics[i]
		}
	}
	m.t.Fatalf("no metric %s", name)
	return nil
}

func (m measured) times(situation string) uint64 {
	m.t.Helper()
	for _, s := range m.c.Situations {
		if s.Situation.String() == situation {
			return s.Times
		}
	}
	m.t.Fatalf("no situation %q", situation)
	return 0
}

func (m measured) report(what, metric string) {
	d := m.of(metric)
	m.t.Logf("%s: %s of %d: mean %v, p50 %v, p99 %v, max %v", what, metric, d.Count(), time.Duration(d.Mean()).Round(time.Millisecond),
		time.Duration(d.Quantile(0.5)).Round(time.Millisecond), time.Duration(d.Quantile(0.99)).Round(time.Millisecond), time.Duration(d.Max()))
}

const (
	readWaitMetric  = "apiserver_watch_cache_read_wait_seconds"
	watchListMetric = "apiserver_watch_list_duration_seconds"
	tickElided      = "etcd: ticker leaves out a watch that was sent events"
)

// TestReadWaitOfKEP2340: "We expect 99th percentile of
// apiserver_watch_cache_read_wait to be below 200ms (2 progress notify pull
// periods)".
//
// It is, on every fixed version and whatever is written: a request is at most one
// period away. It rests on a network that is quick beside the period, and on
// progress that comes: with #17507 the metric shows the full 3 s, which is what
// the KEP wants to know it for.
func TestReadWaitOfKEP2340(t *testing.T) {
	const claimed = 200 * time.Millisecond
	for _, etcd := range []string{"3.4.45", "3.5.13", "3.5.35", "3.6.16", "3.7.3"} {
		for _, sc := range []*testbed.Scenario{CostElsewhere, CostPrefix, CostBusy} {
			m := measuring(t, sc, readSeeds, set("etcd", etcd))
			d := m.of(readWaitMetric)
			m.report(sc.Name+" on "+etcd, readWaitMetric)
			assert.Less(t, time.Duration(d.Quantile(0.99)), claimed, "%s on %s", sc.Name, etcd)
			assert.Greater(t, d.Count(), uint64(100), "reads that waited")
		}
	}
	far := measuring(t, CostElsewhere, readSeeds, set("network", "50ms"))
	far.report("50 ms one way", readWaitMetric)
	assert.Greater(t, time.Duration(far.of(readWaitMetric).Quantile(0.99)), claimed)
	hanging := measuring(t, CostElsewhere, readSeeds, set("etcd", "3.5.12"))
	hanging.report("with #17507", readWaitMetric)
	assert.InDelta(t, 3*time.Second, time.Duration(hanging.of(readWaitMetric).Quantile(0.99)), float64(50*time.Millisecond))
}

// TestProgressNotifyOf2019: "a 250ms progress notify interval, which will on
// average 125ms latency to each consistent LIST request", and "up to 250ms".
//
// On a store in which the resource itself rests, the average is borne out: half a
// period, and etcd's jitter of up to 10 % on top. Not so where it is written now
// and then: the ticker leaves out a watch that was sent an event since the last
// tick, so a read waits for up to two periods. Where it is written all the time
// there are no notifications to speak of, the events have to do it, and the
// draft's own way to detect a server that sends none takes it for one.
func TestProgressNotifyOf2019(t *testing.T) {
	const (
		interval = 250 * time.Millisecond
		average  = 125 * time.Millisecond
		jitter   = interval / 10
		// messages and loops on the way of a notification.
		onTheWay = 15 * time.Millisecond
	)
	draft := []testbed.Parameter{set("cache", "draft-2019"), set("notify", "250ms"), set("bugs", "notify-detection=off"), set("reads", "30"), set("noise-for", "10s"), set("noise-writes", "1000")}

	idle := measuring(t, CostElsewhere, readSeeds, draft...)
	idle.report("idle", readWaitMetric)
	d := idle.of(readWaitMetric)
	assert.InEpsilon(t, average, d.Mean(), 0.10)
	assert.Less(t, time.Duration(d.Max()), interval+jitter+onTheWay)
	assert.Zero(t, idle.times(tickElided))

	now := append(draft[:len(draft):len(draft)], set("writers", "1"), set("writes", "40"), set("think", "1s"))
	sometimes := measuring(t, CostBusy, readSeeds, now...)
	sometimes.report("two writes a second", readWaitMetric)
	d = sometimes.of(readWaitMetric)
	assert.Greater(t, d.Mean(), 1.2*float64(average))
	assert.Greater(t, time.Duration(d.Quantile(0.99)), interval+jitter+onTheWay, "beyond what one period explains")
	assert.Less(t, time.Duration(d.Max()), 2*(interval+jitter)+onTheWay, "and within two")
	assert.NotZero(t, sometimes.times(tickElided), "because ticks are left out")

	always := append(draft[:len(draft):len(draft)], set("writers", "8"), set("writes", "80"), set("think", "250ms"))
	busy := measuring(t, CostBusy, readSeeds, always...)
	busy.report("sixty-four writes a second", readWaitMetric)
	assert.Less(t, time.Duration(busy.of(readWaitMetric).Mean()), average/4, "the next event is nearer than the next tick")
	lists := busy.of(`apiserver_request_duration_seconds{verb="LIST"}`).Count()
	assert.Less(t, busy.of("etcd_bookmark_total").Sum(), int64(lists/20), "notifications hardly ever come")

	detecting := measuring(t, CostBusy, readSeeds, append(always, set("bugs", ""))...)
	asked := int64(detecting.of(`apiserver_request_duration_seconds{verb="LIST"}`).Count())
	byEtcd := asked - detecting.of("apiserver_cache_list_total").Sum()
	t.Logf("with detection: etcd answered %d of %d", byEtcd, asked)
	assert.Greater(t, byEtcd, asked*9/10, "a busy watch looks like a server that sends no notifications")
}

// TestNotifyIntervals: the draft of 2019 mentions three intervals more. 50 ms
// cannot be had: etcd raises it to 100 ms. With 5 s, what Kubernetes gives etcd
// for its bookmarks, a read that has bad luck is refused after its 3 s, and with
// etcd's own 10 minutes every read is that waits at all.
func TestNotifyIntervals(t *testing.T) {
	for _, x := range []struct {
		interval, mean time.Duration
		served         float64
	}{
		{50 * time.Millisecond, 52 * time.Millisecond, 1},
		{100 * time.Millisecond, 52 * time.Millisecond, 1},
		{250 * time.Millisecond, 131 * time.Millisecond, 1},
		// Who asks after a tick is refused after 3 s, thinks for a quarter of a
		// second, and is served by the next tick 1.75 s later.
		{5 * time.Second, 2375 * time.Millisecond, 0.5},
		{10 * time.Minute, 3 * time.Second, 0},
	} {
		m := measuring(t, CostElsewhere, readSeeds/5, set("cache", "draft-2019"), set("bugs", "notify-detection=off"),
			set("notify", x.interval.String()), set("reads", "10"), set("noise-for", "30s"), set("noise-writes", "3000"))
		m.report(x.interval.String(), readWaitMetric)
		assert.InEpsilon(t, x.mean, m.of(readWaitMetric).Mean(), 0.1, "%v", x.interval)
		lists := m.of(`apiserver_request_duration_seconds{verb="LIST"}`).Count()
		assert.InDelta(t, x.served, float64(m.of("apiserver_cache_list_total").Sum())/float64(lists), 0.1, "%v", x.interval)
	}
}

// TestInitialEventsEndOfKEP3157: "we get a notification every 5 seconds from etcd
// and we try to deliver a bookmark every 1 second. It seems the maximum delay time
// a reflector will have to wait after receiving initial data is 6 seconds".
//
// Nearly: both timers have jitter, of 10 % in etcd and of 25 % in the cache, so
// that the most is 6.75 s; 99 of 100 are below 6 s. But a resource that is written
// now and then has ticks left out, and then it is up to 12.25 s. What was shipped
// asks for progress, and has no such wait.
func TestInitialEventsEndOfKEP3157(t *testing.T) {
	const (
		claimed     = 6 * time.Second
		withJitter  = 5*time.Second*110/100 + time.Second*125/100
		tickLeftOut = 2*5*time.Second*110/100 + time.Second*125/100
		twoPolls    = 200 * time.Millisecond
	)
	sc, err := testbed.FindScenario("watch-list-six-seconds")
	require.NoError(t, err)
	quiet := measuring(t, sc, watchListSeeds, set("writers", "0"))
	quiet.report("as written, quiet", watchListMetric)
	d := quiet.of(watchListMetric)
	assert.Less(t, time.Duration(d.Quantile(0.99)), claimed)
	assert.Greater(t, time.Duration(d.Max()), claimed, "which the most is not")
	assert.Less(t, time.Duration(d.Max()), withJitter)
	assert.Greater(t, d.Count(), uint64(1000))
	assert.Zero(t, quiet.times(tickElided))

	written := measuring(t, sc, watchListSeeds)
	written.report("as written, and the resource is written", watchListMetric)
	d = written.of(watchListMetric)
	assert.Greater(t, time.Duration(d.Quantile(0.99)), claimed, "more than the document allows")
	assert.Less(t, time.Duration(d.Max()), tickLeftOut)
	assert.NotZero(t, written.times(tickElided))

	shipped := measuring(t, sc, watchListSeeds, set("cache", "v0.37.2"))
	shipped.report("as shipped", watchListMetric)
	assert.Less(t, time.Duration(shipped.of(watchListMetric).Quantile(0.99)), twoPolls)
}
