package etcd_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

// A synced watcher has an event in its channel when progress is requested.
func eventInChannel(t *testing.T, version string) *bench {
	b := newBench(t, version)
	b.request("w", create("/a", 0)).settle()
	require.Equal(t, []string{"created, rev 1"}, b.take())
	b.put("/a", "1").request("w", &wire.WatchProgressRequest{}).step("deliver user>etcd")
	return b
}

func TestProgressOvertakesEvents15220(t *testing.T) {
	b := eventInChannel(t, "3.5.7")
	b.step("takes ctrlStream").settle()
	require.Equal(t, []string{"progress 2", "event /a=1@2"}, b.take())
	require.EqualValues(t, 1, b.covered("progress overtook events"))

	b = eventInChannel(t, "3.5.7")
	b.step("takes watchStream").settle()
	require.Equal(t, []string{"event /a=1@2", "progress 2"}, b.take(), "select may also go the other way")

	for _, v := range []string{"3.4.25", "3.5.8", "3.5.13", "3.5.35", "3.6.16", "3.7.3"} {
		b = eventInChannel(t, v)
		require.NotContains(t, b.names(), "run etcd sendLoop user.0 takes ctrlStream", v)
		b.settle()
		require.Equal(t, []string{"event /a=1@2", "progress 2"}, b.take(), v)
	}
}

// The switch of recvLoop in 3.3.13 has cases for WatchRequest_CreateRequest and
// WatchRequest_CancelRequest. Of anything else it says: "we probably should not shutdown
// the entire stream when receive an valid command. so just do nothing instead."
func TestProgressRequestsAreUnknownBefore3314(t *testing.T) {
	for v, want := range map[string][]string{
		"3.3.0": {"event /a=1@2"}, "3.3.13": {"event /a=1@2"},
		"3.3.14": {"progress 2", "event /a=1@2"}, "3.3.27": {"progress 2", "event /a=1@2"}, "3.4.0": {"progress 2", "event /a=1@2"},
	} {
		b := newBench(t, v)
		b.request("w", create("/a", 0)).settle().take()
		b.put("/a", "1").request("w", &wire.WatchProgressRequest{}).step("deliver user>etcd")
		if len(want) > 1 {
			b.step("takes ctrlStream")
		}
		b.settle()
		require.Equal(t, want, b.take(), v)
		// The stream goes on.
		b.request("w", create("/b", 0)).settle()
		require.Equal(t, []string{"created, rev 2"}, b.take(), v)
	}
}

func TestProgressIgnoresUnsynced15220(t *testing.T) {
	for v, want := range map[string][]string{
		"3.5.7":  {"created, rev 2", "progress 2", "event /a=1@2"},
		"3.5.12": {"created, rev 2", "event /a=1@2", "progress 2"},
		"3.5.13": {"created, rev 2", "event /a=1@2"},
	} {
		b := newBench(t, v)
		b.put("/a", "1").request("w", create("/a", 2)).settle()
		b.request("w", &wire.WatchProgressRequest{}).settle().step("fire etcd syncWatchersLoop").settle()
		require.Equal(t, want, b.take(), v)
	}
}

func TestDeferredProgressIsSilentOnAQuietRange17507(t *testing.T) {
	for v, silent := range map[string]bool{"3.4.25": true, "3.5.12": true, "3.5.7": false, "3.5.13": false, "3.6.16": false} {
		b := newBench(t, v)
		b.put("/noise", "1").request("w", create("/a", 2)).settle()
		b.request("w", &wire.WatchProgressRequest{}).settle()
		b.step("fire etcd syncWatchersLoop").settle().take()
		for range 20 {
			b.request("w", &wire.WatchProgressRequest{}).settle()
		}
		if !silent {
			require.Len(t, b.take(), 20, v)
			continue
		}
		require.Empty(t, b.take(), v)
		require.EqualValues(t, 1, b.covered("unsynced watcher synced without a word while progress is deferred"))
		require.EqualValues(t, 20, b.covered("progress request ignored, one is deferred"))
		b.put("/a", "1").settle()
		require.Equal(t, []string{"event /a=1@3", "progress 3"}, b.take(), "one event releases it")
	}
}

func TestProgressBelowStart20221(t *testing.T) {
	for v, want := range map[string][]string{
		"3.5.21": {"created, rev 1", "progress 1"}, "3.6.1": {"created, rev 1", "progress 1"},
		"3.5.22": {"created, rev 1"}, "3.6.2": {"created, rev 1"},
	} {
		b := newBench(t, v)
		b.request("w", create("/a", 5)).settle().request("w", &wire.WatchProgressRequest{}).settle()
		require.Equal(t, want, b.take(), v)
	}
}

func TestProgressIsLostWhenTheChannelIsFull(t *testing.T) {
	b := newBench(t, "3.5.35", func(c *etcd.Config) { c.Store.ChanBufLen = 1 })
	b.request("w", create("/a", 0)).settle().put("/a", "1")
	b.request("w", &wire.WatchProgressRequest{}).settle("takes watchStream")
	require.EqualValues(t, 1, b.covered("progress lost, channel full"))
	b.settle()
	require.Equal(t, []string{"created, rev 1", "event /a=1@2"}, b.take())
}

func TestVictimWhileProgressIsDeferred(t *testing.T) {
	b := newBench(t, "3.5.12", func(c *etcd.Config) { c.Store.ChanBufLen = 1 })
	b.put("/b", "1")
	b.request("w", create("/a", 0)).settle().request("w", create("/b", 2)).settle()
	b.request("w", &wire.WatchProgressRequest{}).settle()
	require.EqualValues(t, 1, b.covered("progress deferred"))
	b.put("/a", "1").put("/a", "2")
	require.EqualValues(t, 1, b.covered("victim while progress is deferred"))
	b.settle("syncVictims").step("fire etcd syncWatchersLoop").settle("syncVictims")
	require.Equal(t, []string{"created, rev 2", "created, rev 2", "event /a=1@3", "event /b=1@2"}, b.take())
	b.step("takes victims", "sends", "takes watchStream", "after Send", "assigns").settle()
	require.Equal(t, []string{"event /a=2@4"}, b.take(), "the last event is sent while its watcher is in flight: nothing retries")
	b.put("/a", "3").settle()
	require.Equal(t, []string{"event /a=3@5", "progress 5"}, b.take())
}

func TestCompactedWatcherBlocksProgressUntilCancelled(t *testing.T) {
	b := newBench(t, "3.5.35")
	b.put("/a", "1").put("/a", "2").compact(3).settle()
	b.request("w", create("/a", 2)).settle().step("fire etcd syncWatchersLoop").settle()
	require.Equal(t, []string{"created, rev 3", "canceled: compacted at 3"}, b.take())
	b.request("w", &wire.WatchProgressRequest{}).settle()
	require.Empty(t, b.take())
	require.EqualValues(t, 1, b.covered("progress requested with a watcher that compaction cancelled"))
}

// Every version that sends progress through the watch channel: what is queued
// there speaks for all watches of the stream, and one that is created behind it
// may be announced ahead of it.
func TestCreatedOvertakesProgress(t *testing.T) {
	for _, v := range []string{"3.5.8", "3.5.35", "3.6.16", "3.7.3"} {
		b := newBench(t, v)
		b.put("/a", "1").put("/a", "2").request("w", create("/b", 0)).settle().take()
		b.request("w", &wire.WatchProgressRequest{}).request("w", create("/a", 2)).settle("takes watchStream")
		require.EqualValues(t, 1, b.covered("Created overtook progress that was queued before the watch"))
		b.settle().step("fire etcd syncWatchersLoop").settle()
		require.Equal(t, []string{"created, rev 3", "progress 3", "event /a=1@2 /a=2@3"}, b.take(), v)
	}
}

// Through the watch channel Created stays behind the progress, and waits for
// room.
func TestCreatedInOrder(t *testing.T) {
	for _, room := range []int{2, 1} {
		b := newBench(t, "3.6.16", func(c *etcd.Config) { c.Watch.CreatedInOrder, c.Store.ChanBufLen = true, room })
		b.put("/a", "1").put("/a", "2").request("w", create("/b", 0)).settle().take()
		b.request("w", &wire.WatchProgressRequest{}).request("w", create("/a", 2)).settle("takes watchStream")
		b.settle().step("fire etcd syncWatchersLoop").settle()
		require.Equal(t, []string{"progress 3", "created, rev 3", "event /a=1@2 /a=2@3"}, b.take())
		b.request("w", &wire.WatchProgressRequest{}).settle()
		require.Equal(t, []string{"progress 3"}, b.take(), "recvLoop goes on")
	}
}

// TestCreatedOvertakesOnlyPastTheChannel: progress is in the watch channel when Created is
// sent, from ctrlStream before it, or out of the channel in its turn.
func TestCreatedOvertakesOnlyPastTheChannel(t *testing.T) {
	for _, c := range []struct {
		inOrder   bool
		takes     string
		overtakes bool
	}{{false, "takes ctrlStream", true}, {true, "takes watchStream", false}} {
		b := newBench(t, "3.6.16", func(cfg *etcd.Config) { cfg.Watch.CreatedInOrder = c.inOrder })
		b.request("w", create("/a", 0)).settle().take()
		b.trace().request("w", create("/b", 0)).settle("takes watchStream", "takes ctrlStream")
		b.request("w", &wire.WatchProgressRequest{}).settle("takes watchStream", "takes ctrlStream").step(c.takes).settle()
		require.Equal(t, []string{"created, rev 1", "progress 1"}, b.take())
		said := slices.ContainsFunc(b.traced.steps, func(s tracedStep) bool { return s.mentions("sendLoop takes from ctrlStream") })
		require.Equal(t, c.overtakes, said)
	}
}

func TestTickerNotifiesWatchesThatAskedForIt(t *testing.T) {
	b := newBench(t, "3.5.35", func(c *etcd.Config) { c.Watch.ProgressNotifyInterval = 1 })
	for _, key := range []string{"/a", "/b"} {
		c := create(key, 0)
		c.ProgressNotify = true
		b.request("w", c).settle()
	}
	b.request("w", create("/c", 0)).settle().take()
	b.choices = []int{1}
	b.step("fire etcd progressTicker user.0", "takes progressTicker")
	b.put("/b", "1").settle()
	// The store moves on between the two: upstream ranges over a map.
	require.Equal(t, []string{"progress 1", "event /b=1@2", "progress 2"}, b.take())
	b.step("fire etcd progressTicker user.0").settle()
	require.Equal(t, []string{"progress 2"}, b.take(), "/b was sent an event since")
	b.step("fire etcd progressTicker user.0").settle()
	require.Len(t, b.take(), 2)
}

// The ticker holds serverWatchStream.mu until all its requests are made:
// recvLoop has to wait with a request of its own, and with storing flags.
func TestTickHoldsTheLock(t *testing.T) {
	b := newBench(t, "3.5.35", func(c *etcd.Config) { c.Watch.ProgressNotifyInterval = 1 })
	c := create("/a", 0)
	c.ProgressNotify = true
	b.request("w", c).settle().request("w", c).settle().take()
	b.step("fire etcd progressTicker user.0", "takes progressTicker")
	b.request("w", &wire.WatchProgressRequest{}).step("deliver user>etcd")
	require.NotContains(t, strings.Join(b.names(), "\n"), "recvLoop")
	b.step("requests progress").settle()
	var ids []int64
	for _, p := range b.user.told {
		ids = append(ids, p.(*wire.WatchResponse).WatchID)
	}
	require.Equal(t, []int64{0, 1, wire.InvalidWatchID}, ids)

	b.request("w", &wire.WatchCancelRequest{WatchID: 1}).settle("drops flags")
	b.step("fire etcd progressTicker user.0", "takes progressTicker", "drops flags")
	require.NotContains(t, strings.Join(b.names(), "\n"), "recvLoop")
	b.step("sendLoop user.0 requests progress", "drops flags").settle()
	b.request("w", c).settle()
	require.Equal(t, "created, rev 1", b.last().Label(), "the stream goes on")
}
