package cache_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// with is kep-2340 with some options set, given as name and value in turn.
func with(t *testing.T, settings ...string) cache.Options {
	o := options(t, "kep-2340")
	for i := 0; i < len(settings); i += 2 {
		var err error
		o, err = o.With(settings[i], settings[i+1])
		require.NoError(t, err)
	}
	return o
}

// slowList is a cache with three objects at 5 and a watcher with channels of two
// that has been sent nothing yet: its client takes nothing, and the first two
// initial events fill the result channel.
func slowList(t *testing.T, settings ...string) *bed {
	cfg := config(with(t, settings...))
	cfg.WatchCapacity = 2
	b := newBed(t, cfg)
	b.listed(5, kv("a", "1", 3), kv("b", "1", 4), kv("c", "1", 5))
	conn := b.ask(watchList(0))
	b.feedOf(conn)
	b.act(b.down, func(env *sim.Env) { env.Hold(conn) })
	b.settle()
	require.Equal(t, 1, b.covered("watcher blocked by its client"))
	return b
}

func (b *bed) write(from, to int64) {
	for rv := from; rv <= to; rv++ {
		b.send(added("n"+strconv.FormatInt(rv, 10), "1", rv))
		b.settle()
	}
}

func (b *bed) release() {
	b.act(b.down, func(env *sim.Env) { env.Release(b.slow()) })
	b.settle()
}

var initialABC = []string{"ADDED@3 a", "ADDED@4 b", "ADDED@5 c"}

// Without a bookmark in its channel a watcher that does not keep up is ended at
// once: its client cannot go on from what it was sent.
func TestAWatcherWithoutTheEndIsTerminated(t *testing.T) {
	for _, end := range []string{"interval", "timer"} {
		b := slowList(t, "initial-events-end", end)
		b.write(6, 8)
		b.do("dispatch budget")
		b.release()
		require.Equal(t, []string{"ADDED@3 a", "ADDED@4 b", "closed"}, b.seen())
		require.Zero(t, b.covered("blocked watcher drained because the end of its initial events is in its channel"))
	}
}

// With the bookmark in its channel it is drained: all that was dispatched before
// it was full, and then the end.
func TestAWatcherWithTheEndInItsChannelIsDrained(t *testing.T) {
	b := slowList(t, "initial-events-end", "timer")
	b.do("bookmark timer")
	b.write(6, 7)
	require.Equal(t, 1, b.covered("end of the initial events found by the bookmark timer"))
	b.do("dispatch budget")
	require.Equal(t, 1, b.covered("blocked watcher drained because the end of its initial events is in its channel"))
	other, gone := b.clone(), b.clone()
	b.write(8, 9)
	require.False(t, b.can("dispatch budget"), "it does not hold up the dispatcher")
	b.release()
	require.Equal(t, append(initialABC, "BOOKMARK@5 end", "ADDED@6 n6", "closed"), b.seen())

	// A relist ends the watchers that are registered. This one is not.
	other.send(failed(wire.ErrCompacted))
	other.settle()
	other.do("fire cache list and watch again")
	other.settle()
	other.release()
	require.Equal(t, append(initialABC, "BOOKMARK@5 end", "ADDED@6 n6", "closed"), other.seen())

	gone.act(gone.down, func(env *sim.Env) { env.Close(gone.slow()) })
	gone.settle()
	require.Equal(t, 1, gone.covered("watch ended by its client"))
	require.False(t, gone.can("run cache watcher"))
}

// KEP-3157, option 1, case 1: nothing comes after the bookmark.
func TestCloseEnoughEndsWithTheBookmark(t *testing.T) {
	b := slowList(t, "initial-events-end", "timer", "initial-events-buffer", "close-enough")
	b.do("bookmark timer")
	b.write(6, 7)
	b.do("dispatch budget")
	b.release()
	require.Equal(t, append(initialABC, "BOOKMARK@5 end", "closed"), b.seen())
}

// KEP-3157, option 1: with channels of two a watch begins when one revision is
// missing.
func TestCloseEnoughWaitsUntilTheRestFits(t *testing.T) {
	cfg := config(with(t, "initial-events-end", "timer", "initial-events-buffer", "close-enough"))
	cfg.WatchCapacity = 2
	b := newBed(t, cfg)
	b.listed(5, kv("a", "1", 5))
	b.ask(watchList(8))
	b.settle()
	require.Equal(t, 1, b.cache.Waiting())
	b.send(added("b", "1", 6))
	b.settle()
	require.Empty(t, b.seen())
	late := b.clone()
	b.send(added("c", "1", 7))
	b.settle()
	require.Equal(t, []string{"ADDED@5 a", "ADDED@6 b", "ADDED@7 c"}, b.seen())
	require.False(t, b.can("bookmark timer"), "close enough is not fresh")
	b.send(bookmark(8))
	b.settle()
	b.do("bookmark timer")
	b.settle()
	require.Equal(t, []string{"BOOKMARK@8 end"}, b.seen())

	late.do("timeout of read")
	late.settle()
	require.Equal(t, []string{"broken"}, late.seen())
	require.Equal(t, 1, late.covered("watch sent to another API server because the cache is too far behind"))
}

// By the clock it waits for ten seconds, not for three.
func TestCloseEnoughGivesUpAfterTenSeconds(t *testing.T) {
	b := timedBed(t, config(with(t, "initial-events-end", "timer", "initial-events-buffer", "close-enough")))
	b.down.plan = []planned{{ms, func(env *sim.Env) { env.Send(env.Open(cacheID), watchList(1000)) }}}
	b.run(20 * time.Second)
	require.Len(t, b.down.inbox, 1)
	require.Equal(t, &sim.Hangup{Broken: true}, b.down.inbox[0].Payload)
	require.InDelta(t, 10, time.Duration(b.down.inbox[0].at).Seconds(), 0.1)
}

// KEP-3157, option 2: the channel grows until the client has the end.
func TestADynamicBufferGrowsUntilTheEnd(t *testing.T) {
	b := slowList(t, "initial-events-buffer", "dynamic")
	b.write(6, 25)
	require.False(t, b.can("dispatch budget"))
	b.release()
	seen := b.seen()
	require.Equal(t, append(initialABC, "BOOKMARK@5 end"), seen[:4])
	require.Len(t, seen, 4+20)

	// After that its size is what it is.
	b.act(b.down, func(env *sim.Env) { env.Hold(b.slow()) })
	b.write(26, 26+60)
	require.True(t, b.can("dispatch budget"))
}

// KEP-3157, option 4: two bytes of key and value more than two events have.
func TestACappedBufferGrowsToItsCap(t *testing.T) {
	o := with(t, "initial-events-buffer", "cap")
	cfg := config(o)
	cfg.WatchCapacity, cfg.InitialEventsBytes = 1, 2*len(prefix+"n61")+2
	b := newBed(t, cfg)
	b.listed(5, kv("a", "1", 3), kv("b", "1", 4), kv("c", "1", 5))
	conn := b.ask(watchList(0))
	b.feedOf(conn)
	b.act(b.down, func(env *sim.Env) { env.Hold(conn) })
	b.settle()
	b.write(6, 7)
	require.False(t, b.can("dispatch budget"))
	b.write(8, 8)
	require.True(t, b.can("dispatch budget"))
	require.Equal(t, 1, b.covered("channel of a watcher that sends initial events has reached its cap"))
	b.release()
	require.Equal(t, append(initialABC, "BOOKMARK@5 end", "ADDED@6 n6", "ADDED@7 n7", "ADDED@8 n8"), b.seen())
}

// KEP-3157, option 5. While the client takes nothing, a is changed twice, b is deleted
// and made again, n comes and goes, and c is deleted. With keys in place of objects each
// event brings the object as it is by now: n is gone, and a comes twice as it was last.
func TestObjectsNeedNotWaitInTheChannel(t *testing.T) {
	for option, want := range map[string][]string{
		"references":  {"MODIFIED@7 a", "MODIFIED@7 a", "DELETED@8 b", "ADDED@9 b", "DELETED@11 n", "DELETED@12 c"},
		"newest-only": {"MODIFIED@7 a", "MODIFIED@9 b", "DELETED@12 c"},
	} {
		t.Run(option, func(t *testing.T) {
			b := slowList(t, "initial-events-end", "timer", "initial-events-buffer", option)
			for _, e := range []*wire.WatchEvent{
				modified(kv("a", "1", 3), "2", 6), modified(kv("a", "2", 6), "3", 7), deleted(kv("b", "1", 4), 8), added("b", "2", 9),
				added("n", "1", 10), deleted(kv("n", "1", 10), 11), deleted(kv("c", "1", 5), 12),
			} {
				b.send(e)
				b.settle()
			}
			b.do("bookmark timer")
			b.release()
			require.Equal(t, append(append(initialABC, want...), "BOOKMARK@12 end"), b.seen())
		})
	}
}

// A change behind the end of the initial events is one that the client is promised.
func TestNoChangeIsLeftOutBehindTheEnd(t *testing.T) {
	b := slowList(t, "initial-events-end", "timer", "initial-events-buffer", "newest-only")
	b.do("bookmark timer")
	b.send(modified(kv("a", "1", 3), "2", 6), modified(kv("a", "2", 6), "3", 7))
	b.settle()
	b.release()
	require.Equal(t, append(initialABC, "BOOKMARK@5 end", "MODIFIED@6 a", "MODIFIED@7 a"), b.seen())
}

// KEP-3157, option 3: events that come while initial events are sent do not wait.
// To the letter, the deleted d is shown again, and e in its old state.
func TestEventsAreSentBetweenInitialOnes(t *testing.T) {
	for option, want := range map[string][]string{
		"inject":        {"ADDED@3 a", "ADDED@4 b", "ADDED@5 c", "MODIFIED@6 a", "DELETED@7 d", "MODIFIED@8 e", "ADDED@9 f", "ADDED@4 d", "ADDED@5 e", "BOOKMARK@9 end"},
		"inject-merged": {"ADDED@3 a", "ADDED@4 b", "ADDED@5 c", "MODIFIED@6 a", "ADDED@9 f", "ADDED@8 e", "BOOKMARK@9 end"},
	} {
		t.Run(option, func(t *testing.T) {
			cfg := config(with(t, "initial-events-buffer", option))
			cfg.WatchCapacity = 4
			b := newBed(t, cfg)
			a, d, e := kv("a", "1", 3), kv("d", "1", 4), kv("e", "1", 5)
			b.listed(5, a, kv("b", "1", 4), kv("c", "1", 5), d, e)
			b.ask(watchList(0))
			for range 4 {
				b.do("run cache watcher 0") // registers, then sends a, b and c
			}
			b.send(modified(a, "2", 6), deleted(d, 7), modified(e, "2", 8), added("f", "1", 9))
			for range 4 {
				b.do("deliver up>cache")
				b.do("run cache hand over")
				b.do("run cache dispatchEvents")
			}
			b.settle()
			require.Equal(t, want, b.seen())
		})
	}
}

// A watch is closed at its deadline without an event. Two seconds before, it is sent
// a bookmark with the newest resourceVersion.
func TestADeadlineEndsTheWatchAfterABookmark(t *testing.T) {
	b := timedBed(t, config(options(t, "kep-2340")))
	react := b.up.react
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		if _, ok := m.Payload.(*wire.WatchStart); ok {
			b.feed = m.Conn
		}
		return react(env, m)
	}
	for rv := range int64(30) {
		b.up.plan = append(b.up.plan, planned{time.Duration(rv+1) * time.Second, func(env *sim.Env) { env.Send(b.feed, bookmark(10+rv)) }})
	}
	b.down.plan = []planned{{ms, func(env *sim.Env) {
		env.Send(env.Open(cacheID), &wire.WatchRequest{Prefix: prefix, ResourceVersion: 5, AllowBookmarks: true, TimeoutSeconds: 20})
	}}}
	b.run(25 * time.Second)
	require.Len(t, b.down.inbox, 2)
	told, ended := b.down.inbox[0], b.down.inbox[1]
	require.Equal(t, wire.Bookmark, told.Payload.(*wire.WatchEvent).Type)
	require.InDelta(t, 18.6, time.Duration(told.at).Seconds(), 0.7, "the first tick after 18 s")
	require.IsType(t, &sim.Hangup{}, ended.Payload)
	require.Equal(t, sim.Time(20*time.Second+ms), ended.at)
	require.Equal(t, 1, b.covered("watch ended by its deadline"))
}

// A watch whose deadline passes while it waits is closed. Its wait for the cache
// goes on.
func TestADeadlineEndsAWatchThatWaits(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	req := watchList(9)
	req.TimeoutSeconds = 1
	b.ask(req)
	b.settle()
	b.do("fire cache timeout of watcher 0")
	b.settle()
	require.Equal(t, []string{"closed"}, b.seen())
	require.Equal(t, 1, b.cache.Waiting())
	b.send(bookmark(9))
	b.settle()
	require.Empty(t, b.seen())
}
