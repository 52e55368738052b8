package cache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// TestDelegatedLimit: so many lists are with etcd at a time, and a GET is none.
func TestDelegatedLimit(t *testing.T) {
	cfg := config(options(t, "direct"))
	cfg.DelegatedLimit = 2
	b := newBed(t, cfg)
	b.listed(5)
	get := &wire.GetRequest{Key: prefix + "a", ResourceVersion: wire.Unset}
	b.ask(get)
	for range 2 {
		b.ask(consistentList())
	}
	b.settle()
	require.Zero(t, count[*wire.Error](b.down))
	require.Equal(t, 3, count[*wire.RangeRequest](b.up))

	b.ask(consistentList())
	b.ask(get)
	b.settle()
	err, _ := take[*wire.Error](b, b.down)
	require.Equal(t, 429, err.Code.Status())
	require.Equal(t, 1, err.RetryAfter)
	require.Equal(t, 1, b.covered("list refused, too many are with etcd"))
	require.Equal(t, 4, count[*wire.RangeRequest](b.up), "a GET is not counted, nor refused")

	b.answer(&wire.RangeResponse{Revision: 5}) // the GET
	b.answer(&wire.RangeResponse{Revision: 5}) // the first list
	b.ask(consistentList())
	b.settle()
	require.Zero(t, count[*wire.Error](b.down), "there is room again")
	require.Equal(t, 3, count[*wire.RangeRequest](b.up))
}

// TestLimitOfFallbacks: a list that waited in vain is refused like any other that
// would go to etcd.
func TestLimitOfFallbacks(t *testing.T) {
	cfg := config(options(t, "kep-2340-fallback"))
	cfg.DelegatedLimit = 1
	b := newBed(t, cfg)
	b.listed(5)
	for range 2 {
		b.ask(consistentList())
		b.settle()
		b.answer(&wire.RangeResponse{Revision: 8})
	}
	for _, read := range []string{"read 0", "read 1"} {
		b.do("timeout of " + read)
		b.settle()
	}
	err, _ := take[*wire.Error](b, b.down)
	require.Equal(t, wire.TooManyRequests, err.Code)
	b.answer(&wire.RangeResponse{Revision: 9})
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.Equal(t, wire.FromFallback, resp.Origin)
}

// TestRequestTimeout: what would come to etcd after the request's own time does
// not.
func TestRequestTimeout(t *testing.T) {
	for _, timeout := range []time.Duration{0, 2 * time.Second, 4 * time.Second} {
		cfg := config(options(t, "kep-2340-fallback"))
		cfg.RequestTimeout = timeout
		b := timedBed(t, cfg)
		lists := 0
		b.up.react = func(env *sim.Env, m *sim.Message) bool {
			if r, ok := m.Payload.(*wire.RangeRequest); ok {
				revision := int64(5)
				if env.Now() > 0 {
					revision = 8
				}
				if r.RangeEnd != "" {
					lists++
				}
				env.Send(m.Conn, &wire.RangeResponse{Revision: revision})
			}
			return true
		}
		b.down.plan = []planned{{time.Second, call(consistentList())}}
		b.run(10 * time.Second)
		want := 2 // the reflector's, and that of the client
		if timeout == 2*time.Second {
			want = 1
			require.Equal(t, 1, b.covered("request out of time before etcd was asked"))
		}
		require.Equal(t, want, lists, "timeout %v", timeout)
	}
}

// TestAnswersLimit: KEP-3157, alternative 2. What a client has not taken yet counts at the
// next measurement, 100 ms after the last one, and no sooner.
func TestAnswersLimit(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.AnswersLimit = 1
	b := timedBed(t, cfg)
	react := b.up.react
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		if r, ok := m.Payload.(*wire.RangeRequest); ok && r.RangeEnd != "" {
			env.Send(m.Conn, &wire.RangeResponse{Revision: 5, Kvs: []*wire.KeyValue{kv("a", "1", 5)}, Count: 1})
			return true
		}
		return react(env, m)
	}
	var slow sim.Conn
	list := func(env *sim.Env) sim.Conn { return env.Call(cacheID, &wire.ListRequest{Prefix: prefix}) }
	at := func(when time.Duration, do func(env *sim.Env)) { b.down.plan = append(b.down.plan, planned{when, do}) }
	at(time.Second, func(env *sim.Env) { slow = list(env); env.Hold(slow) })
	at(1050*time.Millisecond, func(env *sim.Env) { list(env) })
	at(1150*time.Millisecond, func(env *sim.Env) { list(env) })
	at(1200*time.Millisecond, func(env *sim.Env) { env.Release(slow) })
	at(1240*time.Millisecond, func(env *sim.Env) { list(env) })
	at(1300*time.Millisecond, func(env *sim.Env) { list(env) })
	b.run(2 * time.Second)
	var refused []sim.Time
	for _, m := range b.down.inbox {
		if err, ok := m.Payload.(*wire.Error); ok {
			require.Equal(t, 429, err.Code.Status())
			refused = append(refused, m.at)
		}
	}
	require.Equal(t, []sim.Time{sim.Time(1150 * time.Millisecond), sim.Time(1240 * time.Millisecond)}, refused)
	require.Equal(t, 3, count[*wire.ListResponse](b.down))
}
