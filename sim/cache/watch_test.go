package cache_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// seen renders what came on a watch.
func (b *bed) seen() (all []string) {
	for _, m := range b.down.inbox {
		switch p := m.Payload.(type) {
		case *wire.WatchEvent:
			s := p.Type.String() + "@" + strconv.FormatInt(p.ResourceVersion, 10)
			if p.Item != nil {
				s += " " + p.Item.Key[len(prefix):]
			}
			if p.InitialEventsEnd {
				s += " end"
			}
			if p.Err != nil {
				s += " " + p.Err.Code.String()
			}
			all = append(all, s)
		case *sim.Hangup:
			end := "closed"
			if p.Broken {
				end = "broken"
			}
			all = append(all, end)
		}
	}
	b.down.inbox = nil
	return all
}

func TestAWatchWithoutVersionBeginsWithTheStore(t *testing.T) {
	for _, rv := range []int64{0, wire.Unset} {
		b := newBed(t, config(options(t, "kep-2340")))
		b.listed(5, kv("a", "1", 5), kv("b", "1", 3))
		b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: rv})
		b.settle()
		require.Equal(t, []string{"ADDED@5 a", "ADDED@3 b"}, b.seen(), "in the order of keys")
		b.send(added("c", "1", 6))
		b.settle()
		require.Equal(t, []string{"ADDED@6 c"}, b.seen())
	}
}

func TestAWatchFromAVersionBeginsInTheHistory(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	a, c := added("a", "1", 6), added("c", "1", 8)
	b.send(a, added("b", "1", 7), c, deleted(c.Item, 9), modified(a.Item, "2", 10))
	b.settle()
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 6})
	b.settle()
	require.Equal(t, []string{"ADDED@7 b", "ADDED@8 c", "DELETED@9 c", "MODIFIED@10 a"}, b.seen())

	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.settle()
	require.Len(t, b.seen(), 5, "nothing was evicted: everything after the list")
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 4})
	b.settle()
	require.Equal(t, []string{"ERROR@0 compacted", "closed"}, b.seen())
}

func TestAWatchOfANamespaceIsSentNoOther(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("ns/a", "1", 2), kv("ns2/a", "1", 3))
	b.ask(&wire.WatchRequest{Prefix: prefix + "ns"})
	b.settle()
	require.Equal(t, []string{"ADDED@2 ns/a"}, b.seen())
	b.send(added("ns2/b", "1", 6), added("ns/b", "1", 7))
	b.settle()
	require.Equal(t, []string{"ADDED@7 ns/b"}, b.seen())
}

func TestAWatchFromTheFutureIsSentLaterEvents(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 7})
	b.settle()
	b.send(added("a", "1", 6), added("b", "1", 7), added("c", "1", 8))
	b.settle()
	require.Equal(t, []string{"ADDED@8 c"}, b.seen())
	require.Equal(t, 1, b.covered("watch begins in the future"))
}

func TestTheHistoryDropsItsOldestEvents(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.RingCapacity = 3
	b := newBed(t, cfg)
	b.listed(5)
	for rv := int64(6); rv <= 30; rv++ {
		b.send(added("k"+strconv.FormatInt(rv, 10), "1", rv))
		b.settle()
	}
	require.Equal(t, 22, b.covered("event evicted from the history"))
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 27})
	b.settle()
	require.Equal(t, []string{"ADDED@28 k28", "ADDED@29 k29", "ADDED@30 k30"}, b.seen())
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 26})
	b.settle()
	require.Equal(t, []string{"ERROR@0 compacted", "closed"}, b.seen())
}

// An event may be in the interval and in the dispatcher's channel: the watcher
// gets it once.
func TestAnEventIsSentOnce(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.send(added("a", "1", 6))
	b.do("deliver up>cache")
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.do("run cache watcher 0")
	b.settle()
	require.Equal(t, []string{"ADDED@6 a"}, b.seen())
	require.Equal(t, 1, b.covered("event dispatched that the interval had"))
}

// The interval is copied 100 events at a time. If one is evicted before it was
// copied, the watch is closed without an event.
func TestAnEvictedIntervalEndsTheWatch(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.RingCapacity = 2
	b := newBed(t, cfg)
	b.listed(5)
	b.send(added("a", "1", 6), added("b", "1", 7))
	b.settle()
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.do("run cache watcher 0") // registers
	b.send(added("c", "1", 8))
	b.do("deliver up>cache")
	b.settle()
	require.Equal(t, []string{"closed"}, b.seen())
	require.Equal(t, 1, b.covered("interval evicted before it was sent"))
}

// A piece of 100 events is safe from eviction once it is copied; the next one
// is not.
func TestIntervalIsCopiedInPieces(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.RingCapacity, cfg.IncomingCapacity = 150, 1000
	b := newBed(t, cfg)
	b.listed(5)
	send := func(from, to int64) {
		for rv := from; rv <= to; rv++ {
			b.send(added("k"+strconv.FormatInt(rv, 10), "1", rv))
		}
	}
	send(6, 155)
	b.settle()
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.do("run cache watcher 0") // registers
	b.do("run cache watcher 0") // copies a piece, sends one
	send(156, 275)
	for b.can("deliver up>cache") {
		b.do("deliver up>cache")
		b.do("run cache hand over")
	}
	b.settle()
	seen := b.seen()
	require.Len(t, seen, 100)
	require.Equal(t, "ADDED@105 k105", seen[99])
	// It held up the dispatcher, which has to give up waiting for it.
	b.do("fire cache dispatch budget")
	b.settle()
	require.Equal(t, []string{"closed"}, b.seen())
}

// #116122: the cache starts over between the request and its registration.
func TestAWatchThatFindsTheCacheStartedOverEnds(t *testing.T) {
	for _, ready := range []bool{false, true} {
		b := newBed(t, config(options(t, "kep-2340")))
		b.listed(5)
		b.ask(&wire.WatchRequest{Prefix: prefix})
		b.send(&wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: wire.ErrCompacted}})
		b.do("deliver up>cache")
		if ready {
			b.do("fire cache list and watch again")
			b.do("deliver cache>up cache/list and watch.1")
			_, conn := take[*wire.RangeRequest](b, b.up)
			b.act(b.up, func(env *sim.Env) { env.Send(conn, &wire.RangeResponse{Revision: 9}) })
			b.do("deliver up>cache")
			require.True(t, b.cache.Ready())
		}
		b.settle()
		require.Equal(t, []string{"closed"}, b.seen())
		require.Equal(t, 1, b.covered("watch registered after the cache started over"))
	}
}

func TestAClientThatLeavesFreesItsWatcher(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	conn := b.ask(&wire.WatchRequest{Prefix: prefix})
	b.settle()
	early := b.ask(&wire.WatchRequest{Prefix: prefix})
	b.act(b.down, func(env *sim.Env) { env.Close(conn); env.Close(early) })
	b.settle()
	require.Equal(t, 2, b.covered("watch ended by its client"))
	b.send(added("a", "1", 6))
	b.settle()
	require.Empty(t, b.seen())
}

// slowWatch is a bed with a watcher whose client takes nothing, whose channels
// are full, and one event that the dispatcher holds for it.
func slowWatch(t *testing.T) *bed {
	cfg := config(options(t, "kep-2340"))
	cfg.WatchCapacity = 2
	b := newBed(t, cfg)
	b.listed(5)
	conn := b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.settle()
	b.act(b.down, func(env *sim.Env) { env.Hold(conn) })
	// Two in result, one in hand, two in input.
	for rv := int64(6); rv <= 10; rv++ {
		b.send(added("k"+strconv.FormatInt(rv, 10), "1", rv))
		b.settle()
	}
	require.Equal(t, 1, b.covered("watcher blocked by its client"))
	require.Zero(t, b.covered("dispatcher blocked by a watcher"))
	b.send(added("last", "1", 11))
	b.settle()
	require.Equal(t, 1, b.covered("dispatcher blocked by a watcher"))
	b.feedOf(conn)
	return b
}

func (b *bed) feedOf(conn sim.Conn) { b.choices["slow"] = int(conn) }

func (b *bed) slow() sim.Conn { return sim.Conn(b.choices["slow"]) }

func TestBlockedWatcherIsTerminated(t *testing.T) {
	b := slowWatch(t)
	// The dispatcher is held up, ingestion is not: its channel has room.
	b.send(added("more", "1", 12))
	b.settle()
	require.EqualValues(t, 12, b.cache.ResourceVersion())
	b.do("fire cache dispatch budget")
	b.act(b.down, func(env *sim.Env) { env.Release(b.slow()) })
	b.settle()
	require.Equal(t, []string{"ADDED@6 k6", "ADDED@7 k7", "closed"}, b.seen(), "consecutive events, then the end")
	require.Equal(t, 1, b.covered("blocked watcher terminated"))
}

func TestBlockedWatcherCatchesUp(t *testing.T) {
	b := slowWatch(t)
	b.act(b.down, func(env *sim.Env) { env.Release(b.slow()) })
	b.settle()
	require.Len(t, b.seen(), 6)
	require.Equal(t, 1, b.covered("blocked watcher caught up in time"))
	require.False(t, b.can("fire cache dispatch budget"))
}

// The dispatcher waits for as long as its budget allows: 50 ms earned a second,
// 100 ms at most, and what it did not use is kept.
func TestTheDispatcherWaitsWithinItsBudget(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.WatchCapacity = 1
	b := timedBed(t, cfg)
	react := b.up.react
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		if _, ok := m.Payload.(*wire.WatchStart); ok {
			b.feed = m.Conn
		}
		return react(env, m)
	}
	rv := int64(5)
	event := func(env *sim.Env) {
		rv++
		env.Send(b.feed, added("k"+strconv.FormatInt(rv, 10), "1", rv))
	}
	// One in result, one in hand, one in input, one held by the dispatcher.
	for range 4 {
		b.up.plan = append(b.up.plan, planned{10 * time.Second, event}, planned{10500 * ms, event})
	}
	var conn sim.Conn
	b.down.plan = []planned{
		{ms, func(env *sim.Env) {
			conn = env.Open(cacheID)
			env.Send(conn, &wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
		}},
		{2 * ms, func(env *sim.Env) { env.Hold(conn) }},
		{10030 * ms, func(env *sim.Env) { env.Release(conn) }},
		{10040 * ms, func(env *sim.Env) { env.Hold(conn) }},
		{10400 * ms, func(*sim.Env) {}},
		{10594 * ms, func(*sim.Env) {}},
		{10596 * ms, func(*sim.Env) {}},
	}
	b.run(10400 * ms)
	require.Equal(t, 1, b.covered("dispatcher blocked by a watcher"))
	require.Len(t, b.seen(), 4)
	// 100 ms less the 30 used, and 25 for the half second since.
	b.run(10594 * ms)
	require.Equal(t, 2, b.covered("dispatcher blocked by a watcher"))
	require.Zero(t, b.covered("blocked watcher terminated"))
	b.run(10595 * ms)
	require.Equal(t, 1, b.covered("blocked watcher terminated"))
}

// TestBlockedWatcherDelaysOthersByTheBudgetOnly: a watcher whose channel is full
// delays the others by the budget only.
func TestBlockedWatcherDelaysOthersByTheBudgetOnly(t *testing.T) {
	b := slowWatch(t)
	b.seen()
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 11})
	b.settle()
	b.send(added("next", "1", 12))
	b.settle()
	require.Empty(t, b.seen())
	b.do("fire cache dispatch budget")
	b.settle()
	require.Equal(t, []string{"ADDED@12 next"}, b.seen())
}

// Of two watchers that block, the one that has caught up by the time that the
// budget is used up gets the event.
func TestBlockedWatchersAreServedInTurn(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.WatchCapacity = 1
	b := newBed(t, cfg)
	b.listed(5)
	var conns []sim.Conn
	for range 2 {
		conns = append(conns, b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5}))
		b.settle()
	}
	b.act(b.down, func(env *sim.Env) {
		for _, c := range conns {
			env.Hold(c)
		}
	})
	for rv := int64(6); rv <= 9; rv++ {
		b.send(added("k"+strconv.FormatInt(rv, 10), "1", rv))
		b.settle()
	}
	b.act(b.down, func(env *sim.Env) { env.Release(conns[1]) })
	b.settle()
	other := b.clone()
	require.Len(t, b.seen(), 3, "the event is still the first watcher's to hold")

	// A clone goes the other way.
	other.act(other.down, func(env *sim.Env) { env.Release(conns[0]) })
	other.settle()
	require.Equal(t, 1, other.covered("blocked watcher caught up in time"))
	require.Len(t, other.seen(), 3+4+1)
	require.Zero(t, other.covered("blocked watcher terminated"))

	b.do("fire cache dispatch budget")
	b.settle()
	require.Equal(t, []string{"ADDED@9 k9"}, b.seen())
	require.Equal(t, 1, b.covered("blocked watcher terminated"))
}

func TestClonesOfABlockedDispatcherGoOnApart(t *testing.T) {
	b := slowWatch(t)
	other := b.clone()
	b.act(b.down, func(env *sim.Env) { env.Release(b.slow()) })
	b.settle()
	require.Equal(t, 1, b.covered("blocked watcher caught up in time"))
	other.do("fire cache dispatch budget")
	require.Equal(t, 1, other.covered("blocked watcher terminated"))
}

func TestStopDuringDispatchIsDeferred(t *testing.T) {
	b := slowWatch(t)
	b.act(b.down, func(env *sim.Env) { env.Close(b.slow()) })
	b.settle()
	require.Equal(t, 1, b.covered("watcher stopped during dispatch"))
	require.True(t, b.can("fire cache dispatch budget"), "the dispatcher does not know")
	b.do("fire cache dispatch budget")
	require.Zero(t, b.covered("blocked watcher terminated"))
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 11})
	b.settle()
	b.send(added("next", "1", 12))
	b.settle()
	require.False(t, b.can("fire cache dispatch budget"))
	require.Equal(t, []string{"ADDED@12 next"}, b.seen(), "the watcher that has its place now is left alone")
}

// A stopped watcher takes no more turns, even if it had one coming.
func TestStoppedWatcherSendsNothing(t *testing.T) {
	b := slowWatch(t)
	conn := b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 6})
	b.do("run cache watcher 1")
	require.True(t, b.can("run cache watcher 1"))
	b.act(b.down, func(env *sim.Env) { env.Close(conn) })
	b.do("deliver down>cache")
	require.False(t, b.can("run cache watcher 1"))

	// The same for one that waits for its client when a relist ends it.
	b.send(&wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: wire.ErrCompacted}})
	b.settle()
	b.do("fire cache list and watch again")
	b.act(b.down, func(env *sim.Env) { env.Release(b.slow()) })
	b.settle()
	require.Equal(t, []string{"ADDED@6 k6", "ADDED@7 k7"}, b.seen())
	b.do("fire cache dispatch budget")
	b.settle()
	require.Equal(t, []string{"closed"}, b.seen())
}

func TestABookmarkTellsSomethingNew(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5, AllowBookmarks: true})
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.settle()
	require.False(t, b.can("fire cache bookmark timer"), "no newer resourceVersion")
	b.send(bookmark(9))
	b.settle()
	require.Empty(t, b.seen(), "etcd's bookmarks are not passed on")
	b.do("fire cache bookmark timer")
	b.settle()
	require.Equal(t, []string{"BOOKMARK@9"}, b.seen(), "only one of the two wants them")
	require.False(t, b.can("fire cache bookmark timer"))
}

// etcd's bookmarks take no room in a watcher's channel.
func TestProgressDoesNotFillWatchers(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.WatchCapacity = 1
	b := newBed(t, cfg)
	b.listed(5)
	conn := b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.settle()
	b.act(b.down, func(env *sim.Env) { env.Hold(conn) })
	b.send(added("a", "1", 6), added("b", "1", 7))
	for rv := int64(8); rv < 14; rv++ {
		b.send(bookmark(rv))
	}
	b.settle()
	require.Zero(t, b.covered("dispatcher blocked by a watcher"))
}

// A bookmark carries what the dispatcher has handed out, not what the store has.
func TestBookmarkNeverOvertakesEvents(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5, AllowBookmarks: true})
	b.settle()
	b.send(bookmark(6), added("a", "1", 7))
	b.do("deliver up>cache")
	b.do("run cache hand over")
	b.do("run cache dispatchEvents")
	b.do("deliver up>cache")
	b.do("fire cache bookmark timer")
	b.settle()
	require.Equal(t, []string{"BOOKMARK@6", "ADDED@7 a"}, b.seen())
}

func TestBookmarkToAFullWatcherIsDropped(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.WatchCapacity = 1
	b := newBed(t, cfg)
	b.listed(5)
	conn := b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5, AllowBookmarks: true})
	b.settle()
	b.act(b.down, func(env *sim.Env) { env.Hold(conn) })
	b.send(added("a", "1", 6), added("b", "1", 7), added("c", "1", 8))
	b.settle()
	b.do("fire cache bookmark timer")
	require.Equal(t, 1, b.covered("bookmark dropped by a full watcher"))
}

func TestBookmarkTimerWaitsForTheDispatcher(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.WatchCapacity = 1
	b := newBed(t, cfg)
	b.listed(5)
	conn := b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5, AllowBookmarks: true})
	b.settle()
	b.act(b.down, func(env *sim.Env) { env.Hold(conn) })
	b.send(added("a", "1", 6), added("b", "1", 7), added("c", "1", 8), added("d", "1", 9))
	b.settle()
	require.True(t, b.can("dispatch budget"))
	b.do("fire cache bookmark timer")
	require.Zero(t, b.covered("bookmark dropped by a full watcher"))
	require.Zero(t, b.covered("bookmark sent to a watcher"))
	require.False(t, b.can("bookmark timer"))
	b.act(b.down, func(env *sim.Env) { env.Release(conn) })
	b.settle()
	b.do("fire cache bookmark timer")
	b.settle()
	seen := b.seen()
	require.Equal(t, "BOOKMARK@9", seen[len(seen)-1])
}

// Timed, a bookmark comes a minute after the last one.
func TestABookmarkComesAMinuteAfterTheLast(t *testing.T) {
	b := timedBed(t, config(options(t, "kep-2340")))
	react := b.up.react
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		if _, ok := m.Payload.(*wire.WatchStart); ok {
			b.feed = m.Conn
		}
		return react(env, m)
	}
	for rv := range int64(300) {
		b.up.plan = append(b.up.plan, planned{time.Duration(rv+1) * time.Second, func(env *sim.Env) { env.Send(b.feed, bookmark(10+rv)) }})
	}
	b.down.plan = []planned{{ms, func(env *sim.Env) {
		env.Send(env.Open(cacheID), &wire.WatchRequest{Prefix: prefix, ResourceVersion: 5, AllowBookmarks: true})
	}}}
	b.run(4 * time.Minute)
	require.Len(t, b.down.inbox, 3)
	require.Equal(t, int64(3), measured(t, b, "watch_bookmarks_sent_total").Sum())
	for i, m := range b.down.inbox {
		require.InDelta(t, float64(i+1), time.Duration(m.at).Minutes(), 0.05*float64(i+1))
	}
}

// Full of young events the history doubles; when the newest quarter is old it
// halves.
func TestTheHistoryGrowsAndShrinks(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.RingCapacity, cfg.RingCapacityMax = 4, 16
	b := timedBed(t, cfg)
	react := b.up.react
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		if _, ok := m.Payload.(*wire.WatchStart); ok {
			b.feed = m.Conn
		}
		return react(env, m)
	}
	rv := int64(5)
	event := func(env *sim.Env) {
		rv++
		env.Send(b.feed, added("k"+strconv.FormatInt(rv, 10), "1", rv))
	}
	for i := range 40 {
		b.up.plan = append(b.up.plan, planned{time.Second + time.Duration(i)*ms, event})
	}
	watch := func(from int64) func(*sim.Env) {
		return func(env *sim.Env) {
			env.Send(env.Open(cacheID), &wire.WatchRequest{Prefix: prefix, ResourceVersion: from})
		}
	}
	b.down.plan = []planned{
		{2 * time.Second, watch(45 - 16)}, {3 * time.Second, watch(45 - 17)},
		// Two old events later: 16 to 8 to 4.
		{4 * time.Minute, watch(47 - 4)}, {5 * time.Minute, watch(47 - 5)},
	}
	b.up.plan = append(b.up.plan, planned{2 * time.Minute, event}, planned{3*time.Minute + time.Second*30, event})
	b.run(6 * time.Minute)
	require.Equal(t, 2, b.covered("history doubled"))
	require.Equal(t, 2, b.covered("history halved"))
	seen := b.seen()
	require.Equal(t, 2, len(seen)-indexOf(seen, "ERROR@0 compacted", 2), "the last watch is refused")
}

func indexOf(all []string, s string, nth int) int {
	for i := range all {
		if all[i] == s {
			if nth--; nth == 0 {
				return i
			}
		}
	}
	return -1
}
