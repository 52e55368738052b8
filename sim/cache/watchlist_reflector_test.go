package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// streamingBed is a cache that has asked for initial events.
func streamingBed(t *testing.T) *bed {
	o, err := options(t, "kep-2340").With("reflector-list", "watch-list")
	require.NoError(t, err)
	b := newBed(t, config(o))
	b.settle()
	require.Zero(t, count[*wire.RangeRequest](b.up))
	require.Equal(t, reflectorStart(0), b.takeStart())
	return b
}

func reflectorStart(rv int64) *wire.WatchStart {
	return &wire.WatchStart{Prefix: prefix, Revision: rv, ProgressNotify: true, Metadata: "source=cache",
		SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true}
}

func (b *bed) takeStart() *wire.WatchStart {
	b.t.Helper()
	start, conn := take[*wire.WatchStart](b, b.up)
	b.feed = conn
	return start
}

func endOf(rv int64) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: rv, InitialEventsEnd: true}
}

func failed(code wire.Code) *wire.WatchEvent {
	return &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: code}}
}

func TestReflectorWatchList(t *testing.T) {
	b := streamingBed(t)
	b.send(added("b", "1", 4), added("a", "1", 5))
	b.settle()
	require.False(t, b.cache.Ready())
	b.send(endOf(9))
	b.settle()
	require.True(t, b.cache.Ready())
	require.EqualValues(t, 9, b.cache.ResourceVersion(), "that of the bookmark")
	require.Equal(t, []string{"a=1", "b=1"}, b.keys())
	b.send(added("c", "1", 10))
	b.settle()
	require.EqualValues(t, 10, b.cache.ResourceVersion(), "the same watch goes on")
	require.Zero(t, count[*wire.WatchStart](b.up))
}

// The next ListAndWatch asks for nothing older than what the cache had.
func TestReflectorWatchListAgain(t *testing.T) {
	b := streamingBed(t)
	b.send(endOf(9), added("c", "1", 10))
	b.settle()
	b.send(failed(wire.ErrCompacted))
	b.settle()
	b.do("fire cache list and watch again")
	b.settle()
	require.Equal(t, reflectorStart(10), b.takeStart())

	// An etcd that was restored from a backup has not come that far: any state
	// will do then.
	b.send(failed(wire.TooLargeResourceVersion))
	b.settle()
	require.Equal(t, reflectorStart(0), b.takeStart())
	b.send(added("d", "1", 2), endOf(3))
	b.settle()
	require.Equal(t, []string{"d=1"}, b.keys())
	require.Equal(t, 1, b.covered("resourceVersion goes back in time"))
}

func TestReflectorFallsBackToList(t *testing.T) {
	for name, end := range map[string]func(*sim.Env, *bed){
		"error":  func(env *sim.Env, b *bed) { env.Send(b.feed, failed(wire.Unavailable)) },
		"closed": func(env *sim.Env, b *bed) { env.Close(b.feed) },
	} {
		t.Run(name, func(t *testing.T) {
			b := streamingBed(t)
			b.act(b.up, func(env *sim.Env) { end(env, b) })
			b.settle()
			b.answer(&wire.RangeResponse{Revision: 7, Kvs: []*wire.KeyValue{kv("a", "1", 7)}})
			require.Equal(t, []string{"a=1"}, b.keys())
			require.Equal(t, &wire.WatchStart{Prefix: prefix, Revision: 7, ProgressNotify: true, Metadata: "source=cache"}, b.takeStart())
		})
	}
}

// A watch that ends in the middle of its initial events begins anew: what it had
// is worth nothing.
func TestReflectorWatchListInterrupted(t *testing.T) {
	b := streamingBed(t)
	b.send(added("gone", "1", 4))
	b.settle()
	b.act(b.up, func(env *sim.Env) { env.Close(b.feed) })
	b.settle()
	require.Equal(t, reflectorStart(0), b.takeStart())
	b.send(added("a", "1", 5), endOf(9))
	b.settle()
	require.Equal(t, []string{"a=1"}, b.keys())
}

// delegatedBed is a cache that sends all watches to etcd, with one of them.
func delegatedBed(t *testing.T, capacity int) (b *bed, client sim.Conn) {
	o, err := options(t, "kep-2340").With("watch-delegation", "all")
	require.NoError(t, err)
	cfg := config(o)
	cfg.WatchCapacity = capacity
	b = newBed(t, cfg)
	client = b.ask(watchList(wire.Unset))
	b.settle()
	b.takeStart()
	return b, client
}

func TestDelegatedWatch(t *testing.T) {
	b, _ := delegatedBed(t, 10)
	b.send(added("a", "1", 5), endOf(9), added("b", "1", 10), failed(wire.ErrCompacted))
	b.settle()
	require.Equal(t, []string{"ADDED@5 a", "BOOKMARK@9 end", "ADDED@10 b", "ERROR@0 compacted", "closed"}, b.seen())
}

func TestDelegatedWatchWaitsForItsClient(t *testing.T) {
	b, client := delegatedBed(t, 1)
	b.act(b.down, func(env *sim.Env) { env.Hold(client) })
	b.send(added("a", "1", 5), added("b", "1", 6), added("c", "1", 7))
	b.settle()
	require.Equal(t, 1, b.covered("watch that etcd serves waits for its client"))
	other := b.clone()
	b.act(b.down, func(env *sim.Env) { env.Release(client) })
	b.settle()
	require.Equal(t, []string{"ADDED@5 a", "ADDED@6 b", "ADDED@7 c"}, b.seen())
	other.act(other.down, func(env *sim.Env) { env.Close(client) })
	other.settle()
	require.Equal(t, 1, other.covered("watch that etcd serves ended"))
}

func TestDelegatedWatchEndsAtEitherEnd(t *testing.T) {
	b, client := delegatedBed(t, 10)
	b.act(b.down, func(env *sim.Env) { env.Close(client) })
	b.settle()
	require.Equal(t, 1, count[*sim.Hangup](b.up))

	b, _ = delegatedBed(t, 10)
	b.act(b.up, func(env *sim.Env) { env.Close(b.feed) })
	b.settle()
	require.Equal(t, []string{"closed"}, b.seen())
}
