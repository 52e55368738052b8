package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/wire"
)

// watchList has the cache start a watch of /a/ with initial events that end with
// a bookmark.
func (b *bench) watchList(rev int64) sim.Conn {
	return b.start(&wire.WatchStart{Prefix: "/a/", Revision: rev, ProgressNotify: true,
		SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true})
}

func (b *bench) start(p *wire.WatchStart) (c sim.Conn) {
	b.cache.act = func(env *sim.Env) {
		env.Begin("watch", 0)
		c = env.Open(clientID)
		env.Send(c, p)
	}
	b.do("run cache act")
	b.settle()
	return c
}

func items(rev int64, keys ...string) *wire.RangeResponse {
	p := &wire.RangeResponse{Revision: rev}
	for i, k := range keys {
		p.Kvs = append(p.Kvs, &wire.KeyValue{Key: k, Value: "v", CreateRevision: int64(i + 2), ModRevision: int64(i + 2), Version: 1})
	}
	return p
}

func TestInitialEventsComeBeforeTheWatch(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.watchList(0)
	require.Equal(t, []string{"0 Range /a/..."}, b.etcd.take())
	b.respond(0, items(9, "/a/x", "/a/y"))
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=2 /a/x=v", "0 ADDED RV=3 /a/y=v", "0 BOOKMARK RV=9, the end of the initial events"}, b.cache.take())
	require.Equal(t, []string{"1 create watch /a/... from 10"}, b.etcd.take(), "the watch begins behind the list")
	b.respond(1, createdAt(0, 9), events(0, putAt("/a/z", 10)), progress(0, 11))
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=10 /a/z=v10", "0 BOOKMARK RV=11"}, b.cache.take())
}

func TestInitialEventsWithoutItemsEndToo(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.watchList(0)
	b.respond(0, items(9))
	b.settle()
	require.Equal(t, []string{"0 BOOKMARK RV=9, the end of the initial events"}, b.cache.take())
}

// The first page fixes the revision. Full buffers hold up the list, and no event
// of the watch comes before its last item.
func TestPagesOfInitialEventsHaveOneRevision(t *testing.T) {
	cfg := config(t, newest)
	cfg.Watcher.SyncPageSize, cfg.Watcher.IncomingBufSize, cfg.Watcher.OutgoingBufSize = 4, 2, 1
	b := newBench(t, cfg)
	b.watchList(0)
	page := items(9, "/a/o", "/a/p", "/a/q", "/a/r")
	page.More = true
	b.respond(0, page)
	b.settle(toCache)
	require.NotZero(t, b.count("initial events wait for room in incomingEventChan"))
	require.Len(t, b.etcd.take(), 1, "the next page is asked for when this one is queued")
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=2 /a/o=v", "0 ADDED RV=3 /a/p=v", "0 ADDED RV=4 /a/q=v", "0 ADDED RV=5 /a/r=v"}, b.cache.take())
	next, ok := b.etcd.last.(*wire.RangeRequest)
	require.True(t, ok)
	require.Equal(t, &wire.RangeRequest{Key: "/a/r\x00", RangeEnd: "/a0", Limit: 4, Revision: 9}, next)
	b.respond(1, &wire.RangeResponse{Revision: 12, Kvs: items(0, "/a/s").Kvs})
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=2 /a/s=v", "0 BOOKMARK RV=9, the end of the initial events"}, b.cache.take())
	require.Equal(t, "create watch /a/... from 10", b.etcd.last.Label())
}

func TestInitialEventsOfAFutureRevisionAreRefused(t *testing.T) {
	for _, tc := range []struct {
		revision int64
		want     []string
	}{
		{8, []string{"0 BOOKMARK RV=8, the end of the initial events"}},
		{7, []string{"0 ERROR RV=0 too large resource version", "0 connection closed"}},
	} {
		b := newBench(t, config(t, newest))
		b.watchList(8)
		require.Equal(t, &wire.RangeRequest{Key: "/a/"}, b.etcd.last)
		b.respond(0, &wire.RangeResponse{Revision: tc.revision})
		b.settle()
		if tc.revision == 8 {
			b.respond(1, items(8))
			b.settle()
		}
		require.Equal(t, tc.want, b.cache.take())
	}
}

// Without initial events and without a revision a watch begins where etcd is.
func TestAWatchWithoutInitialEventsBeginsWhereEtcdIs(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.start(&wire.WatchStart{Prefix: "/a/", SendInitialEvents: wire.SendInitialEventsFalse})
	b.respond(0, &wire.RangeResponse{Revision: 9})
	b.settle()
	require.Equal(t, "create watch /a/... from 10", b.etcd.last.Label())
	require.Empty(t, b.cache.take())
}

func TestAFailedListEndsTheWatchWithItsError(t *testing.T) {
	for _, tc := range []struct {
		name  string
		setUp func(*client.Config)
		play  func(*bench)
		want  string
	}{
		{"compacted", func(*client.Config) {}, func(b *bench) { b.respond(0, &wire.Error{Code: wire.ErrCompacted}) }, "0 ERROR RV=0 compacted"},
		{"an empty page with more to come", func(*client.Config) {}, func(b *bench) { b.respond(0, &wire.RangeResponse{Revision: 9, More: true}) }, "0 ERROR RV=0 unavailable"},
		{"unavailable", func(cfg *client.Config) { cfg.Library.MaxUnaryRetries = 2 }, func(b *bench) {
			b.respond(0, &wire.Error{Code: wire.Unavailable})
			b.settle()
			b.do("fire client retry")
			b.settle()
			b.respond(1, &wire.Error{Code: wire.Unavailable})
		}, "0 ERROR RV=0 unavailable"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := config(t, newest)
			tc.setUp(&cfg)
			b := newBench(t, cfg)
			b.watchList(0)
			tc.play(b)
			b.settle()
			require.Equal(t, []string{tc.want, "0 connection closed"}, b.cache.take())
		})
	}
}

func TestAStoppedWatchGivesItsListUp(t *testing.T) {
	b := newBench(t, config(t, newest))
	c := b.watchList(0)
	b.stop(c)
	b.settle()
	require.Equal(t, uint64(1), b.count("the cache stops a watch that still sends its initial events"))
	b.respond(0, items(9, "/a/x"))
	b.settle()
	require.Empty(t, b.cache.take())

	c = b.watchList(0)
	b.respond(1, &wire.Error{Code: wire.Unavailable})
	b.settle()
	b.stop(c)
	b.settle()
	require.False(t, b.enabled("fire client retry"))
}

// A clone of a client that syncs goes its own way.
func TestACloneBetweenInitialEventsGoesItsOwnWay(t *testing.T) {
	cfg := config(t, newest)
	cfg.Watcher.IncomingBufSize, cfg.Watcher.OutgoingBufSize = 1, 1
	b := newBench(t, cfg)
	b.watchList(0)
	b.respond(0, items(9, "/a/x", "/a/y", "/a/z"))
	b.settle(toCache)
	before := b.client.Fingerprint(sim.NewDigest)
	other := b.client.Clone().(*client.Client)
	b.settle()
	require.Equal(t, before, other.Fingerprint(sim.NewDigest))
	require.NotEqual(t, before, b.client.Fingerprint(sim.NewDigest))
	require.Len(t, b.cache.take(), 4)
}
