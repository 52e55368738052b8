package cache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

func measured(t *testing.T, b *bed, name string) *metric.Distribution {
	t.Helper()
	for _, m := range metric.All() {
		if m.String() == name {
			return b.w.Metric(m)
		}
	}
	require.Failf(t, "no metric", "%s", name)
	return nil
}

// slowBed answers ranges with a delay, the current revision with one that the
// test sets.
func slowBed(t *testing.T, cfg cache.Config, delay time.Duration, revision *int64) *bed {
	b := &bed{t: t, up: &puppet{}, down: &puppet{}, choices: map[string]int{}}
	b.cache = cache.New(cfg)
	var late []func(*sim.Env)
	// One timer for each answer; those that are left over have nothing to say.
	for i := range 10 {
		b.up.plan = append(b.up.plan, planned{time.Hour, func(env *sim.Env) {
			if i < len(late) {
				late[i](env)
			}
		}})
	}
	answer := func(env *sim.Env, conn sim.Conn, p sim.Payload) {
		env.Arm(sim.Timer(len(late)), delay)
		late = append(late, func(env *sim.Env) { env.Send(conn, p) })
	}
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		switch r := m.Payload.(type) {
		case *wire.WatchStart:
			b.feed = m.Conn
		case *wire.RangeRequest:
			switch {
			case r.Key == prefix && r.RangeEnd == "":
				answer(env, m.Conn, &wire.RangeResponse{Revision: *revision})
			case r.RangeEnd == "":
				answer(env, m.Conn, &wire.RangeResponse{Revision: *revision, Kvs: []*wire.KeyValue{kv("a", "12345", 3)}, Count: 1})
			default:
				answer(env, m.Conn, &wire.RangeResponse{Revision: *revision, Kvs: []*wire.KeyValue{kv("a", "12345", 3), kv("b", "1", 4)}, Count: 2})
			}
			return true
		}
		return false
	}
	return b
}

func TestMetricsOfReads(t *testing.T) {
	revision := int64(5)
	b := slowBed(t, config(options(t, "kep-2340-fallback")), 5*ms, &revision)
	at := func(d time.Duration, do func(*sim.Env)) { b.down.plan = append(b.down.plan, planned{d, do}) }

	at(500*ms, func(*sim.Env) { revision = 8 })
	// Asked at 1000, it knows what it wants at 1005, and has it at 1030.
	at(1000*ms, call(consistentList()))
	// Knows at 1105 that it need not wait.
	at(1100*ms, call(consistentList()))
	// Waits for the full 3 s, and is no consistent read.
	at(1200*ms, call(&wire.ListRequest{Prefix: prefix, ResourceVersion: 20, Match: wire.MatchNotOlderThan}))
	at(5000*ms, call(&wire.GetRequest{Key: prefix + "a", ResourceVersion: wire.Unset}))
	at(5100*ms, call(&wire.ListRequest{Prefix: prefix, ResourceVersion: 6, Match: wire.MatchExact}))
	at(6000*ms, func(*sim.Env) { revision = 30 })
	// Waits from 6105 to 9105 in vain, and etcd answers at 9110.
	at(6100*ms, call(consistentList()))
	b.up.plan = append(b.up.plan, planned{1030 * ms, func(env *sim.Env) { env.Send(b.feed, bookmark(8)) }})
	b.run(12 * time.Second)
	require.Len(t, b.down.inbox, 6)

	wait := measured(t, b, "apiserver_watch_cache_read_wait_seconds")
	require.EqualValues(t, 3, wait.Count(), "as upstream: only reads that waited, those that timed out included")
	require.EqualValues(t, 25*ms, wait.Min())
	require.EqualValues(t, 25*ms+2*3*time.Second, wait.Sum())
	consistent := measured(t, b, "consistent_read_wait_seconds")
	require.EqualValues(t, 3, consistent.Count())
	require.EqualValues(t, 0, consistent.Min(), "the one that found the cache fresh")
	require.EqualValues(t, 25*ms+3*time.Second, consistent.Sum())
	lists := measured(t, b, `apiserver_request_duration_seconds{verb="LIST"}`)
	require.EqualValues(t, 5, lists.Count())
	require.EqualValues(t, 30*ms+5*ms+3*time.Second+5*ms+3010*ms, lists.Sum())
	require.EqualValues(t, 5*ms, measured(t, b, `apiserver_request_duration_seconds{verb="GET"}`).Sum())

	for name, want := range map[string]int64{
		`apiserver_watch_cache_consistent_read_total{success="true",fallback="false"}`: 2,
		`apiserver_watch_cache_consistent_read_total{success="true",fallback="true"}`:  1,
		"apiserver_cache_list_total":                                       2,
		`etcd_requests_total{operation="getCurrentResourceVersion"}`:       3,
		`etcd_requests_total{operation="list",for="reflector"}`:            1,
		`etcd_requests_total{operation="list",for="client"}`:               1,
		`etcd_requests_total{operation="list",for="exact"}`:                1,
		`etcd_requests_total{operation="get"}`:                             1,
		`etcd_response_bytes_total{operation="getCurrentResourceVersion"}`: 0,
		`etcd_response_bytes_total{operation="list",for="exact"}`:          2*int64(len(prefix)+1) + 6,
		`etcd_response_bytes_total{operation="list",for="reflector"}`:      2*int64(len(prefix)+1) + 6,
		`etcd_response_bytes_total{operation="get"}`:                       int64(len(prefix)+1) + 5,
		"etcd_progress_requests_total":                                     int64(len(progressTimes(b.up))),
		"etcd_bookmark_total":                                              1,
	} {
		require.Equal(t, want, measured(t, b, name).Sum(), name)
	}
}

func TestMetricsOfRefusals(t *testing.T) {
	for _, x := range []struct{ onTimeout, labels string }{
		{"reject", `{success="false",fallback="false"}`},
		{"throttle", `{success="false",fallback="skipped"}`},
	} {
		o, err := options(t, "kep-2340").With("on-timeout", x.onTimeout)
		require.NoError(t, err)
		revision := int64(5)
		b := slowBed(t, config(o), 5*ms, &revision)
		b.down.plan = []planned{{500 * ms, func(*sim.Env) { revision = 8 }}, {1000 * ms, call(consistentList())}}
		b.run(10 * time.Second)
		require.EqualValues(t, 1, measured(t, b, "apiserver_watch_cache_consistent_read_total"+x.labels).Sum(), x.onTimeout)
		require.Zero(t, measured(t, b, "apiserver_cache_list_total").Sum())
	}
}
