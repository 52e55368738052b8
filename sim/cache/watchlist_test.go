package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchList asks for initial events up to a resourceVersion and the bookmark
// that ends them.
func watchList(rv int64) *wire.WatchRequest {
	return &wire.WatchRequest{Prefix: prefix, ResourceVersion: rv, Match: wire.MatchNotOlderThan,
		SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true}
}

func byTimer(t *testing.T) cache.Options {
	o, err := options(t, "kep-2340").With("initial-events-end", "timer")
	require.NoError(t, err)
	return o
}

func TestAWatchListOfAFreshCacheIsServedAtOnce(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 5), kv("b", "1", 3))
	b.ask(watchList(wire.Unset))
	b.settle()
	require.Empty(t, b.seen(), "etcd has not answered with its revision")
	req := b.answer(&wire.RangeResponse{Revision: 5})
	require.Equal(t, &wire.RangeRequest{Key: prefix}, req)
	require.Equal(t, []string{"ADDED@5 a", "ADDED@3 b", "BOOKMARK@5 end"}, b.seen())
	b.send(added("c", "1", 6), bookmark(7))
	b.settle()
	b.do("fire cache bookmark timer")
	b.settle()
	require.Equal(t, []string{"ADDED@6 c", "BOOKMARK@7"}, b.seen(), "only the first bookmark is the end")
}

func TestAWatchListWaitsForTheCache(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 5))
	b.ask(watchList(wire.Unset))
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 8})
	require.Equal(t, 1, b.cache.Waiting())
	b.send(added("b", "1", 7))
	b.settle()
	require.Empty(t, b.seen())
	b.send(bookmark(9))
	b.settle()
	require.Equal(t, []string{"ADDED@5 a", "ADDED@7 b", "BOOKMARK@9 end"}, b.seen())
	require.Zero(t, b.cache.Waiting())
	require.False(t, b.can("timeout of read"))
}

func TestAWatchListThatWaitsTooLongIsRefused(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 5))
	b.ask(watchList(8))
	b.settle()
	require.Zero(t, count[*wire.RangeRequest](b.up), "the resourceVersion is given")
	b.do("timeout of read 0: WATCH")
	b.settle()
	require.Equal(t, []string{"ERROR@0 too large resource version", "closed"}, b.seen())
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.send(added("b", "1", 6))
	b.settle()
	require.Equal(t, []string{"ADDED@6 b"}, b.seen(), "its place is free")
}

// The end comes with the first tick that finds the cache fresh enough, and not
// before everything that was dispatched until then.
func TestTheBookmarkTimerEndsInitialEvents(t *testing.T) {
	b := newBed(t, config(byTimer(t)))
	b.listed(5, kv("a", "1", 5))
	b.ask(watchList(wire.Unset))
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 8})
	require.Equal(t, []string{"ADDED@5 a"}, b.seen(), "what there is comes at once")
	require.Zero(t, count[*wire.ProgressRequest](b.up), "no read waits, so no progress is requested")
	b.send(added("b", "1", 7))
	b.settle()
	require.False(t, b.can("bookmark timer"), "too early")
	b.send(bookmark(8))
	b.settle()
	b.do("bookmark timer")
	b.settle()
	require.Equal(t, []string{"ADDED@7 b", "BOOKMARK@8 end"}, b.seen())
	b.send(bookmark(9))
	b.settle()
	b.do("bookmark timer")
	b.settle()
	require.Equal(t, []string{"BOOKMARK@9"}, b.seen())
}

// A client that goes while its watch waits leaves no watcher behind, but the
// wait goes on.
func TestClientLeavesWhileItsWatchWaits(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	early := b.ask(watchList(wire.Unset))
	b.settle()
	late := b.ask(watchList(8))
	b.settle()
	b.act(b.down, func(env *sim.Env) { env.Close(early); env.Close(late) })
	b.settle()
	require.Equal(t, 1, b.covered("watch ended by its client while it waits"))
	require.Equal(t, 1, b.cache.Waiting())
	b.send(bookmark(9))
	b.settle()
	require.Zero(t, b.cache.Waiting())
	require.Empty(t, b.seen())
	b.ask(&wire.WatchRequest{Prefix: prefix})
	b.ask(&wire.WatchRequest{Prefix: prefix})
	require.True(t, b.can("run cache watcher 0: WATCH"))
	require.True(t, b.can("run cache watcher 1: WATCH"), "both places are free")
}

// A channel holds a second of history, within bounds that depend on the index of
// the resource.
func TestAChannelHoldsASecondOfHistory(t *testing.T) {
	for _, tc := range []struct {
		indexed       bool
		selector      wire.Selector
		history, want int
	}{
		{false, wire.Selector{}, 100, 10},
		{false, wire.Selector{}, 1501, 21},
		{false, wire.Selector{}, 102400, 100},
		{true, wire.Selector{}, 102400, 1000},
		{true, wire.Selector{Field: "value", Value: "same"}, 102400, 10},
	} {
		cfg := config(options(t, "kep-2340"))
		cfg.RingCapacity = tc.history
		cfg.Fields = store.Fields{{Name: "value", Value: func(*wire.KeyValue) string { return "same" }, Indexed: tc.indexed}}
		b := newBed(t, cfg)
		b.listed(5)
		conn := b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5, Selector: tc.selector})
		b.settle()
		b.act(b.down, func(env *sim.Env) { env.Hold(conn) })
		// As many in result and in input, and one in hand.
		b.write(6, 6+2*int64(tc.want))
		require.False(t, b.can("dispatch budget"), tc)
		b.write(1_000_000, 1_000_000)
		require.True(t, b.can("dispatch budget"), tc)
	}
}
