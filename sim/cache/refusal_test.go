package cache_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// TestNotReadyRetryAfter: 429, and come back after e^(0.06 * seconds of downtime)
// seconds, at least 1 and at most 30 (KEP-4568). The values are those of a
// pocket calculator, rounded down.
func TestNotReadyRetryAfter(t *testing.T) {
	for _, tc := range []struct {
		down time.Duration
		want int
	}{
		{0, 1}, {11 * time.Second, 1}, {12 * time.Second, 2}, {24 * time.Second, 4}, {39 * time.Second, 10},
		{50 * time.Second, 20}, {56 * time.Second, 28}, {57 * time.Second, 30}, {time.Minute, 30}, {time.Hour, 30},
	} {
		b := timedBed(t, config(options(t, "kep-2340")))
		b.up.react = func(*sim.Env, *sim.Message) bool { return true }
		b.down.plan = []planned{
			{tc.down, call(consistentList())},
			{tc.down, func(env *sim.Env) { env.Send(env.Open(cacheID), &wire.WatchRequest{Prefix: prefix}) }},
		}
		b.run(tc.down + time.Second)
		list, _ := take[*wire.Error](b, b.down)
		watch, _ := take[*wire.WatchEvent](b, b.down)
		for _, err := range []*wire.Error{list, watch.Err} {
			require.Equal(t, 429, err.Code.Status())
			require.Equal(t, tc.want, err.RetryAfter, "after %v", tc.down)
			require.Contains(t, err.Message, "retry after "+strconv.Itoa(tc.want)+" s")
		}
	}
}

// TestStaleRetryAfter is every way in which a read that waited in vain ends, by
// the clock: 3 s after it began to wait.
func TestStaleRetryAfter(t *testing.T) {
	notOlder := &wire.ListRequest{Prefix: prefix, ResourceVersion: 9, Match: wire.MatchNotOlderThan}
	get := &wire.GetRequest{Key: prefix + "a", ResourceVersion: 9}
	watchList := &wire.WatchRequest{Prefix: prefix, ResourceVersion: 9, Match: wire.MatchNotOlderThan,
		SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true}
	for _, tc := range []struct {
		name, onTimeout string
		request         sim.Payload
		status, after   int
	}{
		{"consistent, rejected", "reject", consistentList(), 504, 1},
		{"consistent, throttled", "throttle", consistentList(), 429, 1},
		{"not older", "reject", notOlder, 504, 1},
		{"not older, whatever consistent ones get", "throttle", notOlder, 504, 1},
		{"not older, no fallback", "fallback", notOlder, 504, 1},
		{"get", "reject", get, 504, 1},
		{"watch with initial events", "reject", watchList, 504, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o, err := cache.Options{}.With("on-timeout", tc.onTimeout)
			require.NoError(t, err)
			b := timedBed(t, config(o))
			b.up.react = func(env *sim.Env, m *sim.Message) bool {
				if _, ok := m.Payload.(*wire.RangeRequest); ok {
					revision := int64(5)
					if env.Now() > 0 {
						revision = 9
					}
					env.Send(m.Conn, &wire.RangeResponse{Revision: revision})
				}
				return true
			}
			ask := call(tc.request)
			if _, watch := tc.request.(*wire.WatchRequest); watch {
				ask = func(env *sim.Env) { env.Send(env.Open(cacheID), tc.request) }
			}
			b.down.plan = []planned{{time.Second, ask}}
			b.run(10 * time.Second)
			require.NotEmpty(t, b.down.inbox)
			m := b.down.inbox[0]
			refusal, ok := m.Payload.(*wire.Error)
			if e, watch := m.Payload.(*wire.WatchEvent); watch {
				refusal, ok = e.Err, true
			}
			require.True(t, ok, "%s", m.Payload.Label())
			require.Equal(t, tc.status, refusal.Code.Status())
			require.Equal(t, tc.after, refusal.RetryAfter)
			require.Equal(t, sim.Time(4*time.Second), m.at)
		})
	}
}

// TestDelegatedFutureReadsHaveNoRetryAfter: where etcd itself is older than what
// was asked for, the answer is a 504 without Retry-After.
func TestDelegatedFutureReadsHaveNoRetryAfter(t *testing.T) {
	b := newBed(t, config(options(t, "direct")))
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 9, Match: wire.MatchNotOlderThan})
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 9, Match: wire.MatchExact})
	b.settle()
	_, _ = take[*wire.RangeRequest](b, b.up) // the reflector's own
	b.answer(&wire.RangeResponse{Revision: 5})
	b.answer(&wire.Error{Code: wire.ErrFutureRev})
	for range 2 {
		err, _ := take[*wire.Error](b, b.down)
		require.Equal(t, 504, err.Code.Status())
		require.Equal(t, wire.TooLargeResourceVersion, err.Code)
		require.Zero(t, err.RetryAfter)
	}
}

// TestWatchListNeedsProgress: a watch that is to begin with the present state is
// sent an ERROR event if progress cannot be trusted; the client lists instead.
// Without the gate WatchList the option is refused in any form.
func TestWatchListNeedsProgress(t *testing.T) {
	initial := func(s wire.SendInitialEvents, bookmarks bool) *wire.WatchRequest {
		return &wire.WatchRequest{Prefix: prefix, Match: wire.MatchNotOlderThan, SendInitialEvents: s, AllowBookmarks: bookmarks}
	}
	plain := &wire.WatchRequest{Prefix: prefix, AllowBookmarks: true}
	for _, tc := range []struct {
		name, set string
		request   *wire.WatchRequest
		want      wire.Code
		says      string
	}{
		{"all is well", "", initial(wire.SendInitialEventsTrue, true), 0, ""},
		{"etcd too old", "consistent-list-from-cache=disabled", initial(wire.SendInitialEventsTrue, true), wire.Internal, "sendInitialEvents"},
		{"etcd too old, and no bookmark wanted", "consistent-list-from-cache=disabled", initial(wire.SendInitialEventsTrue, false), 0, ""},
		{"etcd too old, and no initial events wanted", "consistent-list-from-cache=disabled", initial(wire.SendInitialEventsFalse, true), 0, ""},
		{"etcd too old, and nothing of the kind asked for", "consistent-list-from-cache=disabled", plain, 0, ""},
		{"gate off", "watch-list=disabled", initial(wire.SendInitialEventsTrue, true), wire.BadRequest, "WatchList"},
		{"gate off, and no bookmark wanted", "watch-list=disabled", initial(wire.SendInitialEventsTrue, false), wire.BadRequest, "sendInitialEvents"},
		{"gate off, and no initial events wanted", "watch-list=disabled", initial(wire.SendInitialEventsFalse, true), wire.BadRequest, "WatchList"},
		{"gate off, and nothing of the kind asked for", "watch-list=disabled", plain, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var o cache.Options
			if dim, value, ok := strings.Cut(tc.set, "="); ok {
				var err error
				o, err = o.With(dim, value)
				require.NoError(t, err)
			}
			b := newBed(t, config(o))
			b.listed(5)
			b.ask(tc.request)
			b.settle()
			for _, m := range b.down.inbox {
				if e, ok := m.Payload.(*wire.WatchEvent); ok && e.Type == wire.Failed {
					require.Equal(t, tc.want, e.Err.Code)
					require.Contains(t, e.Err.Message, tc.says)
					return
				}
			}
			require.Zero(t, tc.want, "not refused")
		})
	}
}
