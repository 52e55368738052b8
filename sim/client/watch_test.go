package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/wire"
)

// registered is a bench with a watch of /a/ that etcd knows as 0.
func registered(t *testing.T, cfg client.Config) (*bench, sim.Conn) {
	b := newBench(t, cfg)
	c := b.watch("/a/", 4, "")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.etcd.take()
	return b, c
}

func TestEventsAreParsed(t *testing.T) {
	b, _ := registered(t, config(t, newest))
	b.respond(0, events(0, putAt("/a/x", 5), updateAt("/a/x", 6, 5)), events(0, deleteAt("/a/x", 7, 5)), progress(0, 9))
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=5 /a/x=v5", "0 MODIFIED RV=6 /a/x=v6", "0 DELETED RV=7 /a/x=v5", "0 BOOKMARK RV=9"}, b.cache.take())
	b.respond(0, events(0, deleteAt("/a/y", 11, 10)))
	b.settle()
	require.Equal(t, &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: 11,
		Item: &wire.KeyValue{Key: "/a/y", Value: "v10", CreateRevision: 10, ModRevision: 11, Version: 1}}, b.cache.last)
}

func TestResponseWithoutMeaningIsSkipped(t *testing.T) {
	b, _ := registered(t, config(t, newest))
	b.respond(0, &wire.WatchResponse{WatchID: 0}, events(0, putAt("/a/x", 5)))
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=5 /a/x=v5"}, b.cache.take())
}

func TestFullBuffersBlockAndGoOn(t *testing.T) {
	cfg := config(t, newest)
	cfg.Watcher.IncomingBufSize, cfg.Watcher.OutgoingBufSize = 2, 3
	b, _ := registered(t, cfg)
	var want []string
	for rev := int64(5); rev < 25; rev += 2 {
		b.respond(0, events(0, putAt("/a/x", rev), putAt("/a/y", rev)), progress(0, rev+1))
		n := wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: rev + 1}
		x, y := putAt("/a/x", rev), putAt("/a/y", rev)
		want = append(want,
			"0 "+(&wire.WatchEvent{Type: wire.Added, ResourceVersion: rev, Item: x.Kv}).Label(),
			"0 "+(&wire.WatchEvent{Type: wire.Added, ResourceVersion: rev, Item: y.Kv}).Label(),
			"0 "+n.Label())
	}
	b.settle(toCache)
	require.False(t, b.enabled("run client"), "all loops wait for the cache")
	require.NotZero(t, b.count("incomingEventChan is full"))
	require.NotZero(t, b.count("resultChan is full"))
	b.do(toCache)
	require.True(t, b.enabled("run client processEvents /a/"))
	b.settle(toCache)
	require.False(t, b.enabled("run client"))
	b.settle()
	require.Equal(t, want, b.cache.take())
}

func TestCompactionEndsAWatchAndOnlyIt(t *testing.T) {
	b, _ := registered(t, config(t, newest))
	b.watch("/b/", 4, "")
	b.settle()
	b.respond(0, createdAt(1, 4))
	b.settle()
	b.etcd.take()
	b.respond(0, events(0, putAt("/a/x", 5)))
	b.settle()
	b.respond(0, &wire.WatchResponse{WatchID: 0, Canceled: true, CompactRevision: 8}, events(1, putAt("/b/x", 9)))
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=5 /a/x=v5", "0 ERROR RV=0 compacted", "0 connection closed"}, only(b.cache.received, "0 "))
	require.Equal(t, []string{"1 ADDED RV=9 /b/x=v9"}, only(b.cache.take(), "1 "))
	require.Equal(t, []string{"0 cancel watch 0"}, b.etcd.take(), "the server keeps the watch until then")
}

func TestErrorOvertakesQueuedEvents(t *testing.T) {
	b, _ := registered(t, config(t, newest))
	b.watch("/b/", 4, "")
	b.respond(0, events(0, putAt("/a/x", 5), putAt("/a/y", 6)), &wire.WatchResponse{WatchID: 0, Canceled: true, CompactRevision: 8})
	b.settle("run client processEvents")
	require.Equal(t, []string{"0 ERROR RV=0 compacted", "0 connection closed"}, b.cache.take())
	require.EqualValues(t, 1, b.count("an error overtakes events in incomingEventChan"))
	require.EqualValues(t, 1, b.count("a watch ends with events in incomingEventChan"))
}

func TestErrorWaitsForRoom(t *testing.T) {
	cfg := config(t, newest)
	cfg.Watcher.OutgoingBufSize = 1
	b, _ := registered(t, cfg)
	b.respond(0, events(0, putAt("/a/x", 5)))
	b.settle(toCache)
	b.respond(0, &wire.WatchResponse{WatchID: 0, Canceled: true, CompactRevision: 8})
	b.settle(toCache)
	require.EqualValues(t, 1, b.count("an error waits for room in resultChan"))
	require.Equal(t, []string{"0 connection closed"}, b.etcd.take(), "clientv3 is done with the watch")
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=5 /a/x=v5", "0 ERROR RV=0 compacted", "0 connection closed"}, b.cache.take())
}

func TestCancelWithoutCompactionClosesWithoutError(t *testing.T) {
	b, _ := registered(t, config(t, newest))
	b.respond(0, events(0, putAt("/a/x", 5)), events(0, putAt("/a/x", 6)))
	b.settle("run client startWatching")
	b.do("run client startWatching")
	b.respond(0, &wire.WatchResponse{WatchID: 0, Canceled: true, CancelReason: "why not"})
	b.settle("run client startWatching")
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=5 /a/x=v5", "0 connection closed"}, b.cache.take())
	require.EqualValues(t, 1, b.count("a substream closes with responses in its buffer"))
	require.EqualValues(t, 1, b.count("resultChan is closed without an error"))
}

func TestCacheStopsAWatchThatEtcdCancelled(t *testing.T) {
	b, c := registered(t, config(t, newest))
	b.respond(0, &wire.WatchResponse{WatchID: 0, Canceled: true})
	b.settle("run client")
	b.stop(c)
	b.settle("run client")
	b.settle()
	require.Equal(t, []string{"0 connection closed"}, b.etcd.take())
	require.Empty(t, b.cache.take())
	require.EqualValues(t, 1, b.count("the cache stops a watch that clientv3 is closing"))
}

func TestCacheStopsAWatchThatIsClosed(t *testing.T) {
	b, c := registered(t, config(t, newest))
	b.respond(0, &wire.WatchResponse{WatchID: 0, Canceled: true})
	b.settle("run client startWatching")
	require.True(t, b.enabled("run client startWatching"))
	b.stop(c)
	b.settle()
	require.False(t, b.enabled("run client"))
	require.Empty(t, b.cache.take())
}

func TestRefusedCreationFails(t *testing.T) {
	const compacted = "etcdserver: mvcc: required revision has been compacted"
	for refusal, want := range map[*wire.WatchResponse]string{
		{WatchID: wire.InvalidWatchID, Created: true, Canceled: true, CancelReason: "permission denied"}: "0 ERROR RV=0 internal error",
		{WatchID: 3, Created: true, Canceled: true, CancelReason: "permission denied"}:                   "0 ERROR RV=0 internal error",
		// v3rpc.Error knows this one by its text, and Kubernetes answers 410.
		{WatchID: wire.InvalidWatchID, Created: true, Canceled: true, CancelReason: compacted}: "0 ERROR RV=0 compacted",
	} {
		b := newBench(t, config(t, newest))
		b.watch("/a/", 4, "")
		b.settle()
		b.etcd.take()
		b.respond(0, refusal)
		b.settle()
		require.Equal(t, []string{want, "0 connection closed"}, b.cache.take())
		require.Equal(t, []string{"0 connection closed"}, b.etcd.take())
	}
}

func TestEndOfStreamFailsEveryWatch(t *testing.T) {
	b, first := registered(t, config(t, newest))
	b.watch("/b/", 4, "")
	third := b.watch("/c/", 4, "")
	b.settle()
	b.respond(0, &wire.WatchResponse{WatchID: 7, Created: true, Canceled: true, CancelReason: "no"})
	b.settle("run client")
	b.respond(0, events(0, putAt("/a/x", 5)))
	b.settle("run client")
	b.stop(third)
	b.settle("run client")
	b.etcd.act = func(env *sim.Env) { env.Close(b.etcd.conns[0]) }
	b.do("run etcd act")
	b.settle("run client")
	b.settle()
	require.ElementsMatch(t, []string{"0 ERROR RV=0 internal error", "0 connection closed", "1 ERROR RV=0 internal error", "1 connection closed"}, b.cache.take())
	require.False(t, b.enabled("fire client"))
	_ = first
	b.watch("/d/", 4, "")
	b.settle()
	require.Contains(t, b.etcd.take(), "1 create watch /d/... from 5")
}

func TestEndOfStreamFailsRequestsThatWait(t *testing.T) {
	b, first := registered(t, config(t, newest))
	b.breakStream()
	b.watch("/b/", 4, "")
	b.requestProgress("")
	b.stop(first)
	b.settle()
	b.etcd.conns = nil
	b.do("fire client backoff")
	b.settle("run client")
	b.etcd.act = func(env *sim.Env) { env.Close(b.etcd.conns[0]) }
	b.do("run etcd act")
	b.settle("run client")
	b.settle()
	require.Equal(t, []string{"0 ERROR RV=0 internal error", "0 connection closed"}, b.cache.take())
	require.EqualValues(t, 1, b.count("a progress request fails because its stream ended"))
}

func TestAnEventWithoutPrevKvEndsTheWatch(t *testing.T) {
	gone := deleteAt("/a/x", 7, 5)
	gone.PrevKv = nil
	changed := updateAt("/a/y", 8, 6)
	changed.PrevKv = nil

	b, _ := registered(t, config(t, newest))
	b.respond(0, events(0, putAt("/a/x", 5), gone, putAt("/a/y", 6)))
	b.do("deliver etcd>client")
	b.do("run client startWatching")
	b.do("run client processEvents")
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=5 /a/x=v5", "0 ERROR RV=0 internal error", "0 connection closed"}, b.cache.take())

	b, _ = registered(t, config(t, newest))
	b.respond(0, events(0, changed))
	b.settle()
	require.Equal(t, []string{"0 ERROR RV=0 internal error", "0 connection closed"}, b.cache.take())

	// The error may pass by what was queued before it.
	b, _ = registered(t, config(t, newest))
	b.respond(0, events(0, putAt("/a/x", 5), gone))
	b.settle("run client processEvents")
	require.Equal(t, []string{"0 ERROR RV=0 internal error", "0 connection closed"}, b.cache.take())

	cfg := config(t, newest)
	cfg.Watcher.PassesMissingPrevKv = true
	b, _ = registered(t, cfg)
	b.respond(0, events(0, putAt("/a/x", 5), gone, changed))
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=5 /a/x=v5", "0 MODIFIED RV=8 /a/y=v8"}, b.cache.take(), "the deletion is gone")
	require.EqualValues(t, 1, b.count("a deletion without an object is skipped"))
}

func TestRestartForgetsEverything(t *testing.T) {
	b, _ := registered(t, config(t, newest))
	b.respond(0, events(0, putAt("/a/x", 5)))
	b.settle("run client")
	b.do("inject restart client")
	b.settle()
	require.Equal(t, []string{"0 connection broken"}, b.cache.take())
	require.Equal(t, []string{"0 connection broken"}, b.etcd.take())
	b.watch("/a/", 4, "")
	b.settle()
	require.Equal(t, []string{"1 create watch /a/... from 5"}, b.etcd.take())
}

func TestWatchesOfOnePrefixHaveDifferentNames(t *testing.T) {
	b, _ := registered(t, config(t, newest))
	second, _ := b.watch("/a/", 4, ""), b.watch("/a/", 4, "")
	b.settle()
	b.respond(0, createdAt(1, 4))
	b.settle()
	named := func(id int64) {
		b.respond(0, createdAt(id, 4), progress(wire.InvalidWatchID, 5))
		for range 2 {
			b.do("deliver etcd>client")
		}
		for _, name := range []string{"/a/", "/a/ #2", "/a/ #3"} {
			require.True(t, b.enabled("run client startWatching "+name), name)
		}
		require.False(t, b.enabled("run client startWatching /a/ #4"))
		b.settle()
	}
	named(2)
	// A name is free again when its watch is gone.
	b.stop(second)
	b.settle()
	b.watch("/a/", 4, "")
	b.settle()
	named(3)
}
