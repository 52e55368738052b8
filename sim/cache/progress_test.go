package cache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// timedBed has no delays but those of timers. Its etcd answers at once and is
// silent on its watch.
func timedBed(t *testing.T, cfg cache.Config) *bed {
	b := &bed{t: t, up: &puppet{}, down: &puppet{}, choices: map[string]int{}}
	b.cache = cache.New(cfg)
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		r, ok := m.Payload.(*wire.RangeRequest)
		switch {
		case !ok:
			return false
		case r.RangeEnd == "":
			env.Send(m.Conn, &wire.RangeResponse{Revision: 8})
		default:
			env.Send(m.Conn, &wire.RangeResponse{Revision: 5})
		}
		return true
	}
	return b
}

// run moves the clock on until something happens at the given time or later.
func (b *bed) run(until time.Duration) {
	if b.w == nil {
		b.w = sim.NewWorld(sim.Options{Mode: sim.Timed})
		b.w.Add("up", b.up)
		b.w.Add("cache", b.cache)
		b.w.Add("down", b.down)
		b.w.Start(b)
	}
	for b.w.Now() < sim.Time(until) && b.w.Step(b) {
	}
}

func call(p sim.Payload) func(*sim.Env) {
	return func(env *sim.Env) { env.Call(cacheID, p) }
}

func progressTimes(p *puppet) (at []time.Duration) {
	for _, m := range p.inbox {
		if r, ok := m.Payload.(*wire.ProgressRequest); ok {
			if r.Metadata != "source=cache" {
				panic("metadata")
			}
			at = append(at, time.Duration(m.at))
		}
	}
	return at
}

func every100ms(from, to time.Duration) (at []time.Duration) {
	for t := from; t <= to; t += 100 * ms {
		at = append(at, t)
	}
	return at
}

// Measured on the real cacher: 29 requests in exactly 3 s for a read that comes
// when the requester starts, whether it is rejected then or falls back.
func TestProgressRequestsUntilTimeout(t *testing.T) {
	for _, design := range []string{"kep-2340", "kep-2340-fallback"} {
		t.Run(design, func(t *testing.T) {
			b := timedBed(t, config(options(t, design)))
			b.down.plan = []planned{{0, call(consistentList())}}
			b.run(10 * time.Second)
			require.Equal(t, every100ms(100*ms, 2900*ms), progressTimes(b.up)[:29])
			require.LessOrEqual(t, len(progressTimes(b.up)), 30, "one more may go out in the same instant")
			require.Len(t, b.down.inbox, 1)
			require.Equal(t, seconds(3), b.down.inbox[0].at)
			if design == "kep-2340" {
				require.Equal(t, wire.TooLargeResourceVersion, b.down.inbox[0].Payload.(*wire.Error).Code)
			} else {
				require.Equal(t, wire.FromFallback, b.down.inbox[0].Payload.(*wire.ListResponse).Origin)
			}
		})
	}
}

func TestFirstRequestIsImmediateAfterIdleness(t *testing.T) {
	b := timedBed(t, config(options(t, "kep-2340")))
	b.down.plan = []planned{{1234 * ms, call(consistentList())}}
	b.run(10 * time.Second)
	require.Equal(t, every100ms(1234*ms, 4134*ms), progressTimes(b.up)[:30])
	require.EqualValues(t, 1, b.covered("progress requested at once after idleness"))
	require.Equal(t, sim.Time(4234*ms), b.down.inbox[0].at)
}

// Two requests are never less than 100 ms apart, whichever reads wait.
func TestRequestsAreSpaced(t *testing.T) {
	b := timedBed(t, config(options(t, "kep-2340")))
	served := func(env *sim.Env) { env.Send(b.feed, bookmark(8)) }
	b.up.plan = []planned{{1030 * ms, served}}
	react := b.up.react
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		if _, ok := m.Payload.(*wire.WatchStart); ok {
			b.feed = m.Conn
		}
		if r, ok := m.Payload.(*wire.RangeRequest); ok && r.RangeEnd == "" && env.Now() > sim.Time(1040*ms) {
			env.Send(m.Conn, &wire.RangeResponse{Revision: 12})
			return true
		}
		return react(env, m)
	}
	b.down.plan = []planned{
		{1000 * ms, call(consistentList())},
		{1050 * ms, call(consistentList())},
	}
	b.run(1350 * ms)
	require.Equal(t, []time.Duration{1000 * ms, 1100 * ms, 1200 * ms, 1300 * ms}, progressTimes(b.up),
		"the second read waits for the rest of the period")
	require.Equal(t, sim.Time(1030*ms), b.down.inbox[0].at)
}

// TestNextReadAfterAnIdlePeriodAsksAtOnce: a timer that finds no waiting read is
// set to zero, so the next read is asked for at once.
func TestNextReadAfterAnIdlePeriodAsksAtOnce(t *testing.T) {
	b := timedBed(t, config(options(t, "kep-2340")))
	react := b.up.react
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		if _, ok := m.Payload.(*wire.WatchStart); ok {
			b.feed = m.Conn
		}
		if r, ok := m.Payload.(*wire.RangeRequest); ok && r.RangeEnd == "" && env.Now() > sim.Time(1040*ms) {
			env.Send(m.Conn, &wire.RangeResponse{Revision: 12})
			return true
		}
		return react(env, m)
	}
	b.up.plan = []planned{{1030 * ms, func(env *sim.Env) { env.Send(b.feed, bookmark(8)) }}}
	b.down.plan = []planned{
		{1000 * ms, call(consistentList())},
		{1107 * ms, call(consistentList())},
	}
	b.run(1120 * ms)
	require.Equal(t, []time.Duration{1000 * ms, 1107 * ms}, progressTimes(b.up))
	require.EqualValues(t, 1, b.covered("progress timer found no waiting read"))
}

func TestSingleRequestDesign(t *testing.T) {
	b := timedBed(t, config(options(t, "single-request")))
	b.down.plan = []planned{{1000 * ms, call(consistentList())}, {1001 * ms, call(consistentList())}}
	b.run(10 * time.Second)
	require.Equal(t, []time.Duration{1000 * ms, 1001 * ms}, progressTimes(b.up), "etcd was busy, and the cache does not ask again")
	require.Len(t, b.down.inbox, 2)
	require.GreaterOrEqual(t, b.down.inbox[0].at, sim.Time(4000*ms))
	require.Equal(t, wire.FromFallback, b.down.inbox[0].Payload.(*wire.ListResponse).Origin, "if the block times out, etcd serves the request")
}

func TestSingleRequestAsksOncePerRead(t *testing.T) {
	b := newBed(t, config(options(t, "single-request")))
	b.listed(5)
	for range 2 {
		b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 9})
	}
	b.settle()
	require.Equal(t, 2, count[*wire.ProgressRequest](b.up))
}

// TestRequesterDoesNotAskForAServedRead: the read is served before the requester
// looks for waiting reads.
func TestRequesterDoesNotAskForAServedRead(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 6})
	b.send(bookmark(6))
	b.do("deliver up>cache")
	b.do("run cache read 0")
	b.settle()
	require.Equal(t, 1, b.covered("progress requester woken for a read that is gone"))
	b.do("fire cache progress request period")
	b.settle()
	require.Zero(t, count[*wire.ProgressRequest](b.up))

	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 9})
	b.settle()
	require.Equal(t, 1, count[*wire.ProgressRequest](b.up), "the timer had run out")
}

// TestOneTickSendsOneProgressRequest: a tick is consumed by the first request.
func TestOneTickSendsOneProgressRequest(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.do("fire cache progress request period")
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 6})
	b.settle()
	require.Equal(t, 1, count[*wire.ProgressRequest](b.up))
	b.send(bookmark(6))
	b.settle()
	b.do("fire cache progress request period")
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 7})
	b.settle()
	require.Equal(t, 1, count[*wire.ProgressRequest](b.up), "the timer that was set to zero has not gone off yet")
	b.do("fire cache progress request period")
	b.settle()
	require.Equal(t, 2, count[*wire.ProgressRequest](b.up))
}

// A stream that broke is dead as soon as the cache hears of it, whatever the
// other end knows.
func TestControlStreamBreaks(t *testing.T) {
	b := &bed{t: t, up: &puppet{manual: true}, down: &puppet{manual: true}, choices: map[string]int{}}
	b.cache = cache.New(config(options(t, "kep-2340")))
	b.w = sim.NewWorld(sim.Options{})
	b.w.Add("up", b.up)
	b.w.Add("cache", b.cache)
	b.w.Add("down", b.down)
	// The control stream is the first one.
	b.w.AddFault(&sim.BreakStream{From: []sim.NodeID{cacheID}, To: upID, Label: "control"}, sim.Budget{Times: 1})
	b.w.Start(b)
	b.do("inject break control")
	b.do("deliver up>cache")
	for !b.can("deliver cache>up cache/list") {
		b.do("deliver cache>up")
	}
	b.do("deliver cache>up cache/list")
	_, conn := take[*wire.RangeRequest](b, b.up)
	b.act(b.up, func(env *sim.Env) { env.Send(conn, &wire.RangeResponse{Revision: 5}) })
	b.do("deliver up>cache")
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 6})
	b.do("run cache progress requester")
	b.do("fire cache progress request period")
	b.settle()
	require.Equal(t, 1, count[*wire.ProgressRequest](b.up))
}

// The stream on which progress is requested is opened again if it breaks.
func TestControlStreamIsReopened(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 9})
	b.settle()
	b.do("fire cache progress request period")
	b.settle()
	_, conn := take[*wire.ProgressRequest](b, b.up)
	b.act(b.up, func(env *sim.Env) { env.Close(conn) })
	b.settle()
	b.do("fire cache progress request period")
	b.settle()
	_, again := take[*wire.ProgressRequest](b, b.up)
	require.NotEqual(t, conn, again)
}

func TestRetryAfter(t *testing.T) {
	for _, tc := range []struct {
		at   time.Duration
		want string
	}{
		{0, "retry after 1 s"}, {11 * time.Second, "retry after 1 s"}, {12 * time.Second, "retry after 2 s"},
		{39 * time.Second, "retry after 10 s"}, {time.Minute, "retry after 30 s"}, {time.Hour, "retry after 30 s"},
	} {
		b := timedBed(t, config(options(t, "kep-2340")))
		b.up.react = func(*sim.Env, *sim.Message) bool { return true }
		b.down.plan = []planned{{tc.at, call(consistentList())}}
		b.run(tc.at + time.Second)
		require.Contains(t, b.down.inbox[0].Payload.(*wire.Error).Message, tc.want)
	}
}

// Downtime counts from when the cache was ready last, or from the restart.
func TestRetryAfterAnOutage(t *testing.T) {
	b := timedBed(t, config(options(t, "kep-2340")))
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		switch m.Payload.(type) {
		case *wire.RangeRequest:
			if env.Now() == 0 {
				env.Send(m.Conn, &wire.RangeResponse{Revision: 5})
			}
		case *wire.WatchStart:
			b.feed = m.Conn
		}
		return true
	}
	b.up.plan = []planned{{50 * time.Second, func(env *sim.Env) {
		env.Send(b.feed, &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: wire.ErrCompacted}})
	}}}
	b.down.plan = []planned{{65 * time.Second, call(consistentList())}, {107 * time.Second, call(consistentList())}}
	b.w = sim.NewWorld(sim.Options{Mode: sim.Timed})
	b.w.Add("up", b.up)
	b.w.Add("cache", b.cache)
	b.w.Add("down", b.down)
	b.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{cacheID}, Label: "cache"}, sim.Budget{Times: 1, Within: 200 * time.Second})
	b.choices["strike restart cache"] = 32
	b.w.Start(b)
	b.run(110 * time.Second)
	require.Len(t, b.down.inbox, 2)
	require.Contains(t, b.down.inbox[0].Payload.(*wire.Error).Message, "retry after 2 s")
	require.Contains(t, b.down.inbox[1].Payload.(*wire.Error).Message, "retry after 1 s")
}
