package etcd_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// timetable is a client that asks at given times, and records each answer with
// its time.
type timetable struct {
	at   []time.Duration
	ask  []func(*sim.Env)
	told []string
}

func (c *timetable) Start(env *sim.Env) {
	for i := range c.at {
		env.Arm(sim.Timer(i), c.at[i])
	}
}

func (c *timetable) Fire(env *sim.Env, t sim.Timer) { c.ask[t](env) }

func (c *timetable) Receive(env *sim.Env, m *sim.Message) {
	text := m.Payload.Label()
	if r, ok := m.Payload.(*wire.WatchResponse); ok {
		if len(r.Events) == 0 {
			return
		}
		text = "event " + strconv.FormatInt(r.Events[0].Kv.ModRevision, 10)
	}
	c.told = append(c.told, fmt.Sprintf("%v %s", env.Now().Sub(0), text))
}

func (c *timetable) Run(*sim.Env, sim.Task)     {}
func (c *timetable) TaskName(sim.Task) string   { return "" }
func (c *timetable) TimerName(sim.Timer) string { return "ask" }

func (c *timetable) plan(at time.Duration, p sim.Payload) {
	c.at = append(c.at, at)
	c.ask = append(c.ask, func(env *sim.Env) {
		switch p.(type) {
		case *wire.WatchCreateRequest, *wire.RangeStreamRequest:
			env.Send(env.Open(1), p)
		default:
			env.Call(1, p)
		}
	})
}

type inOrder struct{}

func (inOrder) Pick(*sim.World, []sim.Action) int        { return 0 }
func (inOrder) Choose(_ *sim.World, _ int, _ string) int { return 0 }

// priced is a server whose Ranges take 10 ms, and 1 ms for each of its four
// objects.
func priced(t *testing.T, change func(*etcd.Config)) etcd.Config {
	cfg, err := etcd.DefaultConfig("3.6.16")
	require.NoError(t, err)
	for i := range 4 {
		cfg.Initial = append(cfg.Initial, &wire.KeyValue{Key: "/a/" + strconv.Itoa(i), CreateRevision: int64(i + 2), ModRevision: int64(i + 2), Version: 1})
	}
	cfg.InitialRevision = 5
	cfg.Reads.RangeTime, cfg.Reads.RangeTimePerItem = 10*time.Millisecond, time.Millisecond
	change(&cfg)
	return cfg
}

func runTimetable(t *testing.T, cfg etcd.Config, c *timetable, faults ...sim.Fault) []string {
	w := sim.NewWorld(sim.Options{Mode: sim.Timed})
	w.Add("etcd", etcd.New(cfg))
	w.Add("user", c)
	for _, f := range faults {
		w.AddFault(f, sim.Budget{Times: 1, Within: time.Nanosecond})
	}
	w.Start(inOrder{})
	for w.Now() < sim.Time(2*time.Second) && w.Step(inOrder{}) {
	}
	return c.told
}

var (
	all      = &wire.RangeRequest{Key: "/a/", RangeEnd: "/a0"}
	none     = &wire.RangeRequest{Key: "/a/"}
	tooNew   = &wire.RangeRequest{Key: "/a/", Revision: 99}
	watchAll = &wire.WatchCreateRequest{Key: "/a/", RangeEnd: "/a0"}
	put      = &wire.PutRequest{Key: "/a/0", Value: "new"}
)

const ms = time.Millisecond

func TestRangesTakeTurns(t *testing.T) {
	var c timetable
	c.plan(0, all)
	c.plan(ms, all)
	c.plan(2*ms, none)
	c.plan(3*ms, put)
	c.plan(4*ms, tooNew)
	c.plan(100*ms, all)
	require.Equal(t, []string{
		"3ms rev 6", // a write does not wait for reads
		"14ms rev 5: 4 items",
		"28ms rev 6: 4 items", // it looks at the store when its turn comes
		"38ms rev 6: 0 items",
		"48ms error: future revision",
		"114ms rev 6: 4 items",
	}, runTimetable(t, priced(t, func(*etcd.Config) {}), &c))
}

// A write that comes before the Compact does not wait for the Range, and one that comes after
// it does. So does the next Range, although the store has nothing to do.
func TestCompactWaitsForRange(t *testing.T) {
	for _, waits := range []bool{true, false} {
		var c timetable
		c.plan(0, all)
		c.plan(2*ms, put)
		c.plan(4*ms, &wire.CompactionRequest{Revision: 6})
		c.plan(6*ms, put)
		c.plan(8*ms, none)
		want := []string{"2ms rev 6", "14ms rev 5: 4 items", "14ms rev 7", "14ms compacted", "24ms rev 7: 0 items"}
		if !waits {
			want = []string{"2ms rev 6", "4ms compacted", "6ms rev 7", "14ms error: compacted", "24ms rev 7: 0 items"}
		}
		require.Equal(t, want, runTimetable(t, priced(t, func(c *etcd.Config) {
			if !waits {
				c.Reads.Compactions = etcd.GoesOn
			}
		}), &c))
	}
}

func TestWatchesAndReadsOnOneConnection(t *testing.T) {
	for _, shared := range []bool{false, true} {
		var c timetable
		c.plan(0, watchAll)
		c.plan(100*ms, all)
		c.plan(101*ms, all)
		c.plan(102*ms, put)
		c.plan(103*ms, all)
		want := []string{"102ms event 6", "102ms rev 6", "114ms rev 5: 4 items", "128ms rev 6: 4 items", "142ms rev 6: 4 items"}
		if shared {
			// Behind the reads that came before it, and before the one that came
			// after it.
			want = []string{"102ms rev 6", "114ms rev 5: 4 items", "128ms rev 6: 4 items", "128ms event 6", "142ms rev 6: 4 items"}
		}
		require.Equal(t, want, runTimetable(t, priced(t, func(c *etcd.Config) { c.Watch.ReadsDelayWatches = shared }), &c))
	}
}

func TestClog(t *testing.T) {
	free := func(c *etcd.Config) { c.Reads.RangeTime, c.Reads.RangeTimePerItem = 0, 0 }
	for _, tc := range []struct {
		from []sim.NodeID
		when string
	}{{nil, "500ms"}, {[]sim.NodeID{2}, "500ms"}, {[]sim.NodeID{3}, "102ms"}, {[]sim.NodeID{2, 3}, "500ms"}} {
		var c timetable
		c.plan(0, watchAll)
		c.plan(102*ms, put)
		c.plan(200*ms, all)
		fault := &etcd.Clog{Node: 1, Label: "etcd", From: tc.from, Until: sim.Time(500 * ms)}
		got := runTimetable(t, priced(t, free), &c, fault)
		require.Contains(t, got, tc.when+" event 6", "clogged for %v", tc.from)
		require.Contains(t, got, "200ms rev 6: 4 items", "reads get through")
	}
}

func TestReadCostIsCloned(t *testing.T) {
	b := newBench(t, "3.6.16", func(c *etcd.Config) { c.Reads.RangeTime = ms })
	for range 2 {
		b.user.ops = append(b.user.ops, func(env *sim.Env) { env.Call(1, all) })
	}
	b.step("fire user op").settle()
	require.Empty(t, b.user.told, "the first takes its time")
	c := b.server.Clone().(*etcd.Server)
	before := c.Fingerprint(sim.NewDigest)
	require.Equal(t, before, b.server.Fingerprint(sim.NewDigest))
	b.step("fire etcd Range user.0")
	require.Equal(t, before, c.Fingerprint(sim.NewDigest))
	require.NotEqual(t, before, b.server.Fingerprint(sim.NewDigest))
	b.step("inject restart etcd").settle()
	require.Empty(t, b.names(), "nothing is left of a process that went away")
	told := len(b.user.told)
	b.user.ops = append(b.user.ops, func(env *sim.Env) { env.Call(1, all) })
	b.step("fire user op").settle().step("fire etcd Range user.0").settle()
	require.Len(t, b.user.told, told+1, "and nothing is in the way of the next")
}

// TestDefragment: reads that come later wait as writes do, and what the watch was to be sent.
func TestDefragment(t *testing.T) {
	free := func(c *etcd.Config) { c.Reads.RangeTime, c.Reads.RangeTimePerItem = 0, 0 }
	var c timetable
	c.plan(0, watchAll)
	c.plan(102*ms, put)
	c.plan(200*ms, all)
	got := runTimetable(t, priced(t, free), &c, &etcd.Defragment{Node: 1, Label: "etcd", Until: sim.Time(500 * ms)})
	require.Contains(t, got, "500ms event 6")
	require.Contains(t, got, "500ms rev 6: 4 items")
}
