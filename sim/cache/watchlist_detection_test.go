package cache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// A stream is refused until progress has come, and when the last is older than 11 s.
// What comes after a consistent LIST has had the cache ask for it tells only the value
// unasked nothing.
func TestStreamsAreRefusedWithoutProgress(t *testing.T) {
	const refused = wire.Internal
	for _, c := range []struct {
		detection string
		// asks is when a LIST waits, 0 for never; the answer comes at 1 s.
		asks sim.Duration
		// want are the codes of the answers to streams after 0.5, 2 and 14 s; 0 is none.
		want [3]wire.Code
	}{
		{"off", 0, [3]wire.Code{}},
		{"notified", 0, [3]wire.Code{refused, 0, refused}},
		{"unasked", 0, [3]wire.Code{refused, 0, refused}},
		{"notified", 900 * time.Millisecond, [3]wire.Code{refused, 0, refused}},
		{"unasked", 900 * time.Millisecond, [3]wire.Code{refused, refused, refused}},
	} {
		b := timedBed(t, config(with(t, "initial-events-end", "timer", "watch-list-detection", c.detection)))
		react := b.up.react
		b.up.react = func(env *sim.Env, m *sim.Message) bool {
			if _, ok := m.Payload.(*wire.WatchStart); ok {
				b.feed = m.Conn
			}
			return react(env, m)
		}
		b.up.plan = []planned{{time.Second, func(env *sim.Env) { env.Send(b.feed, bookmark(10)) }}}
		var streams [3]sim.Conn
		for i, at := range []sim.Duration{500 * time.Millisecond, 2 * time.Second, 14 * time.Second} {
			b.down.plan = append(b.down.plan, planned{at, func(env *sim.Env) {
				streams[i] = env.Open(cacheID)
				env.Send(streams[i], watchList(0))
			}})
		}
		if c.asks > 0 {
			b.down.plan = append(b.down.plan, planned{c.asks, func(env *sim.Env) {
				env.Call(cacheID, &wire.ListRequest{Prefix: prefix, ResourceVersion: 10})
			}})
		}
		b.run(20 * time.Second)
		var got [3]wire.Code
		for _, m := range b.down.inbox {
			if e, ok := m.Payload.(*wire.WatchEvent); ok && e.Err != nil {
				for i, conn := range streams {
					if m.Conn == conn {
						got[i] = e.Err.Code
					}
				}
			}
		}
		require.Equal(t, c.want, got, "%s, a LIST at %v", c.detection, c.asks)
	}
}
