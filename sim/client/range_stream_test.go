package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/client/etcd3"
	"github.com/watchbed/watchbed/sim/wire"
)

// streams is the client of an API server that is built with clientv3 3.7, whose one cache is
// the bench's.
func streams(t testing.TB) client.Config {
	cfg := config(t, "3.7.3")
	cfg.Storage = []sim.NodeID{cacheID}
	return cfg
}

func chunk(keys ...string) *wire.RangeStreamResponse {
	return &wire.RangeStreamResponse{Kvs: items(0, keys...).Kvs}
}

func lastChunk(rev int64, keys ...string) *wire.RangeStreamResponse {
	p := chunk(keys...)
	p.Revision, p.Count = rev, 7
	return p
}

// hangUp has etcd close the connection that it heard of as number n, in order.
func (b *bench) hangUp(n int) {
	b.etcd.act = func(env *sim.Env) { env.Close(b.etcd.conns[n]) }
	b.do("run etcd act")
	b.settle()
}

var errUnimplemented = &wire.Error{Code: wire.Unimplemented}

// Objects are queued as chunks come. The revision is known with the last chunk, and the watch
// begins when the stream is closed behind it.
func TestInitialEventsComeAsAStream(t *testing.T) {
	b := newBench(t, streams(t))
	b.watchList(0)
	require.Equal(t, []string{"0 streamed Range /a/..."}, b.etcd.take())
	require.Equal(t, &wire.RangeStreamRequest{Range: &wire.RangeRequest{Key: "/a/", RangeEnd: "/a0"}}, b.etcd.last)
	b.respond(0, chunk("/a/x"))
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=2 /a/x=v"}, b.cache.take())
	b.respond(0, lastChunk(9, "/a/y"))
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=2 /a/y=v"}, b.cache.take())
	require.Empty(t, b.etcd.take())
	b.hangUp(0)
	require.Equal(t, []string{"0 BOOKMARK RV=9, the end of the initial events"}, b.cache.take())
	require.Equal(t, []string{"1 create watch /a/... from 10"}, b.etcd.take())
}

// One chunk is in the hands of the loop that reads the stream, the others stay on the way.
func TestAFullBufferHoldsUpTheStream(t *testing.T) {
	cfg := streams(t)
	cfg.Watcher.WatchDecode = etcd3.Serial
	cfg.Watcher.IncomingBufSize, cfg.Watcher.OutgoingBufSize = 1, 1
	b := newBench(t, cfg)
	b.watchList(0)
	b.respond(0, chunk("/a/p", "/a/q", "/a/r"), lastChunk(9, "/a/s"))
	b.settle(toCache)
	require.NotZero(t, b.count("initial events wait for room in incomingEventChan"))
	underWay := 0
	b.w.UnderWay(etcdID, func(_ *sim.Message, n int) { underWay += n })
	require.Equal(t, 1, underWay)
	b.settle()
	require.Len(t, b.cache.take(), 4)
	b.hangUp(0)
	require.Equal(t, []string{"0 BOOKMARK RV=9, the end of the initial events"}, b.cache.take())
}

// A consumer may see a part of the state, and then an error: nothing is repeated.
func TestAStreamOfInitialEventsIsNotRepeated(t *testing.T) {
	for want, play := range map[string]func(b *bench){
		"0 ERROR RV=0 compacted": func(b *bench) {
			b.respond(0, &wire.Error{Code: wire.ErrCompacted})
			b.settle()
		},
		"0 ERROR RV=0 unavailable":    func(b *bench) { b.etcdCrashes() },
		"0 ERROR RV=0 internal error": func(b *bench) { b.hangUp(0) },
	} {
		b := newBench(t, streams(t))
		b.watchList(0)
		b.respond(0, chunk("/a/x"))
		b.settle()
		play(b)
		require.Equal(t, []string{"0 ADDED RV=2 /a/x=v", want, "0 connection closed"}, b.cache.take())
	}
}

// Nothing asks etcd whether it knows streams. For ten minutes after it did not, pages are asked
// for at once; then one watch tries again.
func TestAnEtcdWithoutStreamsIsAskedForPages(t *testing.T) {
	b := newBench(t, streams(t))
	b.watchList(0)
	b.respond(0, errUnimplemented)
	b.settle()
	require.Equal(t, []string{"0 streamed Range /a/...", "0 connection closed", "1 Range /a/..."}, b.etcd.take())
	b.respond(1, items(9, "/a/x"))
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=2 /a/x=v", "0 BOOKMARK RV=9, the end of the initial events"}, b.cache.take())
	b.etcd.take()
	const elapsed = 1
	b.choices = []int{1 - elapsed}
	b.watchList(0)
	require.Equal(t, "Range /a/...", b.etcd.last.Label())
	b.choices = []int{elapsed}
	b.watchList(0)
	require.Equal(t, "streamed Range /a/...", b.etcd.last.Label())
	require.EqualValues(t, 1, b.count("RangeStream is tried again after ten minutes"))
}

func TestAWatchThatIsStoppedClosesItsStream(t *testing.T) {
	b := newBench(t, streams(t))
	c := b.watchList(0)
	b.stop(c)
	b.settle()
	require.Equal(t, []string{"0 streamed Range /a/...", "0 connection closed"}, b.etcd.take())
	require.Zero(t, b.client.Holds(b.w).Watches)
}

// A watch of one object has no stream.
func TestOneObjectIsNotStreamed(t *testing.T) {
	b := newBench(t, streams(t))
	b.start(&wire.WatchStart{Prefix: "/a/x", Single: true, SendInitialEvents: wire.SendInitialEventsTrue})
	require.Equal(t, []string{"0 Range /a/x"}, b.etcd.take())
}

var whole = &wire.RangeRequest{Key: "/a/", RangeEnd: "/a0", Revision: 5}

// The caller gets one answer, which is that of a Range.
func TestWholeListsAreStreamed(t *testing.T) {
	b := newBench(t, streams(t))
	b.call(whole)
	b.settle()
	require.Equal(t, []string{"0 streamed Range /a/... at 5"}, b.etcd.take())
	b.respond(0, chunk("/a/x"), lastChunk(9, "/a/y"))
	b.settle()
	require.Empty(t, b.cache.take())
	b.hangUp(0)
	require.Equal(t, []string{"0 rev 9: 2 items"}, b.cache.take())
	require.Equal(t, &wire.RangeResponse{Revision: 9, Kvs: append(items(0, "/a/x").Kvs, items(0, "/a/y").Kvs...), Count: 7}, b.cache.last)
}

func TestOtherRangesAreNotStreamed(t *testing.T) {
	for _, p := range []*wire.RangeRequest{{Key: "/a/"}, {Key: "/a/", RangeEnd: "/a0", Limit: 1}, {Key: "/a/", RangeEnd: "/a0", KeysOnly: true}, {Key: "/a/", RangeEnd: "/a0", CountOnly: true}} {
		b := newBench(t, streams(t))
		b.call(p)
		b.settle()
		require.Equal(t, p, b.etcd.last)
	}
	cfg := streams(t)
	cfg.Storage = nil
	b := newBench(t, cfg)
	b.call(whole)
	b.settle()
	require.Equal(t, whole, b.etcd.last, "the request of a caller of the client library itself")
}

func TestAStreamedListThatFailsIsNotRepeated(t *testing.T) {
	for want, play := range map[string]func(b *bench){
		"0 error: compacted": func(b *bench) {
			b.respond(0, &wire.Error{Code: wire.ErrCompacted})
			b.settle()
		},
		"0 error: unavailable":    func(b *bench) { b.etcdCrashes() },
		"0 error: internal error": func(b *bench) { b.hangUp(0) },
	} {
		b := newBench(t, streams(t))
		b.call(whole)
		b.settle()
		b.respond(0, chunk("/a/x"))
		b.settle()
		play(b)
		require.Equal(t, []string{want}, b.cache.take())
		require.False(t, b.enabled("fire client retry"))
		require.Zero(t, b.client.Holds(b.w).Calls)
	}
}

func TestAListOfAnEtcdWithoutStreamsIsOneRange(t *testing.T) {
	b := newBench(t, streams(t))
	b.call(whole)
	b.settle()
	b.respond(0, errUnimplemented)
	b.settle()
	require.Equal(t, whole, b.etcd.last)
	b.respond(1, items(9))
	b.settle()
	require.Equal(t, []string{"0 rev 9: 0 items"}, b.cache.take())
}

func TestTheStreamOfAListWithoutCallerIsClosed(t *testing.T) {
	b := newBench(t, streams(t))
	b.call(whole)
	b.settle()
	require.Equal(t, 1, b.client.Holds(b.w).Calls)
	b.do("inject restart cache")
	b.settle()
	require.Equal(t, []string{"0 streamed Range /a/... at 5", "0 connection closed"}, b.etcd.take())
	require.Zero(t, b.client.Holds(b.w).Calls)
}
