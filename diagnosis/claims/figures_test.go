package claims

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/metrics"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// The figures of the documents, by hand. Each test says whether the bed bears one
// out, and if it does not, what shows why.

// Seeds that give some thousand values of each metric.
const (
	readSeeds      = 150
	watchListSeeds = 2500
)

// measurement is what a campaign measured.
type measurement struct {
	t    *testing.T
	done *campaign.Result
	all  measured
}

func measure(t *testing.T, sc *testbed.Scenario, seeds uint64, changes ...option.Setting) measurement {
	t.Helper()
	done, err := run(t.Context(), sc, changes, campaign.Config{Seeds: seeds})
	require.NoError(t, err)
	require.Zero(t, done.Truncated)
	return measurement{t, done, metrics.Of(done.Metrics)}
}

// set is one change of the parameters.
func set(name, value string) option.Setting { return option.Setting{Name: name, Value: value} }

// spread is where the values of a metric of time lie.
type spread struct {
	count          uint64
	mean, p99, max time.Duration
}

// of is a metric of time; it must have values.
func (m measurement) of(name string) spread {
	m.t.Helper()
	x := m.all.of(name)
	require.Equal(m.t, name, x.Name, "no such metric, or no value")
	in := func(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
	s := spread{x.Count, in(x.Of.Mean), in(x.Of.P99), in(x.Of.Max)}
	m.t.Logf("%s of %d: mean %v, p99 %v, max %v", name, s.count, s.mean, s.p99, s.max)
	return s
}

// total is the sum of a counter, 0 if nothing was counted.
func (m measurement) total(name string) float64 { return m.all.of(name).Total }

func (m measurement) times(situation string) uint64 {
	m.t.Helper()
	for _, s := range m.done.Situations {
		if s.Situation.String() == situation {
			return s.Times
		}
	}
	m.t.Fatalf("no situation %q", situation)
	return 0
}

const tickElided = "etcd: ticker leaves out a watch that was sent events"

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
		for _, sc := range []*testbed.Scenario{scenarios.CostElsewhere, scenarios.CostPrefix, scenarios.CostBusy} {
			m := measure(t, sc, readSeeds, set("etcd", etcd))
			d := m.of(readWait)
			assert.Less(t, d.p99, claimed, "%s on %s", sc.Name, etcd)
			assert.Greater(t, d.count, uint64(100), "reads that waited")
		}
	}
	far := measure(t, scenarios.CostElsewhere, readSeeds, set("network", "50ms"))
	assert.Greater(t, far.of(readWait).p99, claimed)
	hanging := measure(t, scenarios.CostElsewhere, readSeeds, set("etcd", "3.5.12"))
	assert.InDelta(t, 3*time.Second, hanging.of(readWait).p99, float64(50*time.Millisecond))
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
	draft := join(drafted, trusting, steadily)

	idle := measure(t, scenarios.CostElsewhere, readSeeds, draft...)
	d := idle.of(readWait)
	assert.InEpsilon(t, average, d.mean, 0.10)
	assert.Less(t, d.max, interval+jitter+onTheWay)
	assert.Zero(t, idle.times(tickElided))

	sometimes := measure(t, scenarios.CostBusy, readSeeds, join(draft, nowAndThen)...)
	d = sometimes.of(readWait)
	assert.Greater(t, d.mean, average*12/10)
	assert.Greater(t, d.p99, interval+jitter+onTheWay, "beyond what one period explains")
	assert.Less(t, d.max, 2*(interval+jitter)+onTheWay, "and within two")
	assert.NotZero(t, sometimes.times(tickElided), "because ticks are left out")

	always := join(drafted, steadily, []option.Setting{set("writers", "8"), set("writes", "80"), set("think", "250ms")})
	busy := measure(t, scenarios.CostBusy, readSeeds, join(always, trusting)...)
	assert.Less(t, busy.of(readWait).mean, average/4, "the next event is nearer than the next tick")
	assert.Less(t, busy.total("etcd_bookmark_total"), float64(busy.of(listTook).count)/20, "notifications hardly ever come")

	detecting := measure(t, scenarios.CostBusy, readSeeds, always...)
	asked := float64(detecting.of(listTook).count)
	byEtcd := asked - detecting.total(listsServed)
	t.Logf("with detection: etcd answered %v of %v", byEtcd, asked)
	assert.Greater(t, byEtcd, asked*0.9, "a busy watch looks like a server that sends no notifications")
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
		// A client that asks after a tick is refused after 3 s, thinks for a quarter of a
		// second, and is served by the next tick 1.75 s later.
		{5 * time.Second, 2375 * time.Millisecond, 0.5},
		{10 * time.Minute, 3 * time.Second, 0},
	} {
		m := measure(t, scenarios.CostElsewhere, readSeeds/5, join(drafted, trusting, []option.Setting{
			set("notify", x.interval.String()), set("reads", "10"), set("noise-for", "30s"), set("noise-writes", "3000")})...)
		assert.InEpsilon(t, x.mean, m.of(readWait).mean, 0.1, "%v", x.interval)
		assert.InDelta(t, x.served, m.total(listsServed)/float64(m.of(listTook).count), 0.1, "%v", x.interval)
	}
}

// TestInitialEventsEndOfKEP3157: "we get a notification every 5 seconds from etcd
// and we try to deliver a bookmark every 1 second. It seems the maximum delay time
// a reflector will have to wait after receiving initial data is 6 seconds".
//
// Nearly: both timers have jitter, of 10 % in etcd and of 25 % in the cache, so
// that the longest is 6.75 s; 99 of 100 are below 6 s. But a resource that is written
// now and then has ticks left out, and then it is up to 12.25 s. What was shipped
// asks for progress, and has no such wait.
func TestInitialEventsEndOfKEP3157(t *testing.T) {
	const (
		claimed     = 6 * time.Second
		withJitter  = 5*time.Second*110/100 + time.Second*125/100
		tickLeftOut = 2*5*time.Second*110/100 + time.Second*125/100
		twoPolls    = 200 * time.Millisecond
	)
	sc := scenarios.WatchListSixSeconds
	quiet := measure(t, sc, watchListSeeds, set("writers", "0"))
	d := quiet.of(watchListTook)
	assert.Less(t, d.p99, claimed)
	assert.Greater(t, d.max, claimed, "which the longest is not")
	assert.Less(t, d.max, withJitter)
	assert.Greater(t, d.count, uint64(1000))
	assert.Zero(t, quiet.times(tickElided))

	written := measure(t, sc, watchListSeeds)
	d = written.of(watchListTook)
	assert.Greater(t, d.p99, claimed, "more than the document allows")
	assert.Less(t, d.max, tickLeftOut)
	assert.NotZero(t, written.times(tickElided))

	shipped := measure(t, sc, watchListSeeds, set("cache", "v0.37.2"))
	assert.Less(t, shipped.of(watchListTook).p99, twoPolls)
}

// TestListSizesOf2019: "list result sizes of 1, 10, ..., 100000; object sizes of 5kb, 25kb,
// 100kb; measure latency and throughput". Sizes are declared, and etcd's connection
// carries 10 Gbit/s; what processors do takes no time. With -v it prints the table.
//
// While others write, a LIST from the cache waits for half an interval of notifications
// whatever its size is, and one from etcd takes what its bytes take: the cache is slower
// below some 160 MB, and by more than 50 times faster at 10 GB.
func TestListSizesOf2019(t *testing.T) {
	const (
		bandwidth = 1.25e9
		waited    = 0.131
	)
	for i, objects := range []int{1, 10, 100, 1000, 10_000, 100_000} {
		if i%testsize.Of(1, 1, 3) != 0 {
			continue
		}
		for _, bytes := range []int{5_000, 25_000, 100_000} {
			if objects == 100_000 && bytes != 100_000 {
				// The runs are the same but for the time that bytes take.
				continue
			}
			sizes := join(steadily, sized(objects, bytes), only("reads", "5"))
			cached := measure(t, scenarios.CostElsewhere, 1, join(drafted, trusting, sizes)...).of(listTook)
			direct := measure(t, scenarios.CostElsewhere, 1, join(only("cache", "direct"), sizes)...).of(listTook)
			t.Logf("%7d objects of %6d bytes: from the cache %v, from etcd %v", objects, bytes, cached.mean, direct.mean)
			assert.InDelta(t, float64(objects)*float64(bytes)/bandwidth, direct.mean.Seconds(), 0.005)
			assert.Less(t, cached.max, 300*time.Millisecond)
			if total := float64(objects) * float64(bytes); total < waited*bandwidth/10 {
				assert.Less(t, direct.mean, cached.mean, "%d x %d", objects, bytes)
			} else if total > waited*bandwidth*10 {
				assert.Greater(t, direct.mean, cached.mean, "%d x %d", objects, bytes)
			}
		}
	}
}
