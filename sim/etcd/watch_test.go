package etcd_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
)

func TestFullChannelMakesVictims(t *testing.T) {
	b := newBench(t, "3.5.35", func(c *etcd.Config) { c.Store.ChanBufLen = 1 })
	b.request("w", create("/a", 0)).settle().take()
	b.put("/a", "1").put("/a", "2").put("/a", "3")
	require.EqualValues(t, 1, b.covered("synced watcher becomes a victim"), "a victim is not notified again")
	b.step("takes victims", "sends", "assigns")
	require.EqualValues(t, 1, b.covered("victim's channel still full"))
	b.step("fire etcd syncVictimsLoop", "takes watchStream", "after Send", "sends", "assigns")
	require.EqualValues(t, 1, b.covered("victim becomes unsynced"), "revision 4 came in between")
	b.step("fire etcd syncWatchersLoop")
	require.EqualValues(t, 1, b.covered("unsynced watcher becomes a victim"))
	b.settle()
	var revisions []int64
	for _, p := range b.user.told {
		if r, ok := p.(*wire.WatchResponse); ok {
			revisions = append(revisions, r.Revision)
		}
	}
	require.Equal(t, []int64{2, 3, 4}, revisions, "the progress of a victim is its own revision, not the store's")
	require.Equal(t, []string{"event /a=1@2", "event /a=2@3", "event /a=3@4"}, b.take())
	require.EqualValues(t, 1, b.covered("victim becomes synced"))
}

func TestCancelWaitsForAVictimInFlight(t *testing.T) {
	for _, hangup := range []bool{false, true} {
		b := newBench(t, "3.5.35", func(c *etcd.Config) { c.Store.ChanBufLen = 1 })
		b.request("w", create("/a", 0)).settle().take()
		b.put("/a", "1").put("/a", "2").step("takes victims")
		if hangup {
			b.do(func(env *sim.Env) { env.Close(b.user.streams["w"]) })
		} else {
			b.request("w", &wire.WatchCancelRequest{})
		}
		b.step("deliver user>etcd")
		require.EqualValues(t, 1, b.covered("cancel waits for a victim in flight"))
		b.settle()
		require.Empty(t, b.names(), "nothing is left behind")
		if !hangup {
			require.Equal(t, []string{"event /a=1@2", "canceled: "}, b.take())
		}
	}
}

func TestCancelForgetsWhatWasAskedFor(t *testing.T) {
	b := newBench(t, "3.5.35")
	b.put("/a", "0")
	b.request("w", &wire.WatchCreateRequest{Key: "/a", WatchID: 5, PrevKv: true}).settle()
	b.request("w", &wire.WatchCancelRequest{WatchID: 5}).settle()
	b.request("w", &wire.WatchCreateRequest{Key: "/a", WatchID: 5}).settle()
	b.put("/a", "1").settle()
	require.Nil(t, b.last().(*wire.WatchResponse).Events[0].PrevKv)
}

func TestCancelForgetsAWaitingVictim(t *testing.T) {
	b := newBench(t, "3.5.35", func(c *etcd.Config) { c.Store.ChanBufLen = 1 })
	b.request("w", create("/a", 0)).settle().take()
	b.put("/a", "1").put("/a", "2").request("w", &wire.WatchCancelRequest{}).step("deliver user>etcd")
	require.EqualValues(t, 1, b.covered("victim cancelled"))
	b.step("takes watchStream").settle()
	require.Equal(t, []string{"event /a=1@2", "canceled: "}, b.take())
	require.Empty(t, b.names())
}

// A watcher below the compacted revision whose channel is full.
func compactedWhileFull(t *testing.T, version string) *bench {
	b := newBench(t, version, func(c *etcd.Config) { c.Store.ChanBufLen = 1 })
	b.request("w", create("/b", 0)).settle().take()
	b.put("/a", "1").put("/a", "2").compact(3).settle()
	b.put("/b", "1")
	b.request("w", create("/a", 2)).settle("takes watchStream", "syncVictims", "user/compact")
	b.step("fire etcd syncWatchersLoop")
	require.EqualValues(t, 1, b.covered("compacted while the channel is full"))
	b.settle()
	return b
}

func TestCompactionWhileTheChannelIsFull17529(t *testing.T) {
	for _, v := range []string{"3.4.30", "3.5.7", "3.5.12"} {
		b := compactedWhileFull(t, v)
		require.Empty(t, b.names(), "the watcher counts as synced")
		require.NotContains(t, b.take(), "canceled: compacted at 3", v)
	}
	for _, v := range []string{"3.4.31", "3.5.13", "3.5.35", "3.6.0"} {
		b := compactedWhileFull(t, v)
		b.step("fire etcd syncWatchersLoop").settle()
		require.Contains(t, b.take(), "canceled: compacted at 3", v)
	}
}

func TestRestoreSendsOldEventsAgain15271(t *testing.T) {
	for v, want := range map[string][]string{
		"3.4.24": {"event /a=1@2 /a=2@3"}, "3.5.7": {"event /a=1@2 /a=2@3"}, "3.4.25": nil, "3.5.8": nil, "3.6.16": nil,
	} {
		b := newBench(t, v)
		b.request("w", create("/a", 0)).settle().put("/a", "1").put("/a", "2").settle()
		require.Equal(t, []string{"created, rev 1", "event /a=1@2", "event /a=2@3"}, b.take())
		b.step("inject snapshot etcd").settle().step("fire etcd syncWatchersLoop").settle()
		require.Equal(t, want, b.take(), v)
	}
}

func TestRestoreMovesAFutureWatchBack20221(t *testing.T) {
	for v, want := range map[string][]string{
		"3.5.21": {"event /a=1@2", "event /a=2@3"}, "3.6.1": {"event /a=1@2", "event /a=2@3"},
		"3.5.22": {"event /a=2@3"}, "3.6.2": {"event /a=2@3"},
	} {
		b := newBench(t, v)
		b.request("w", create("/a", 3)).settle().take()
		b.step("inject snapshot etcd").settle().step("fire etcd syncWatchersLoop").settle()
		b.put("/a", "1").settle().put("/a", "2").settle()
		require.Equal(t, want, b.take(), v)
	}
}

func TestNegativeStartBreaksSync20693(t *testing.T) {
	for v, want := range map[string][]string{
		"3.5.23": {"created, rev 2", "created, rev 2"},
		"3.5.24": {"canceled: etcdserver: mvcc: required revision has been compacted", "created, rev 2", "event /a=1@2"},
	} {
		b := newBench(t, v)
		b.put("/a", "1")
		b.request("x", create("/z", -1)).settle().request("w", create("/a", 2)).settle()
		b.step("fire etcd syncWatchersLoop").settle()
		require.Equal(t, want, b.take(), v)
	}
}

// From 3.6.0 to 3.6.5 what a watch from a negative revision makes of its round depends on
// what the round before has read.
func TestNegativeStartFindsWhatWasKept(t *testing.T) {
	for v, want := range map[string][]string{
		"3.5.23": nil,
		"3.6.0":  {"event /a=2@3 /a=3@4", "event /a=2@3 /a=3@4"},
		"3.6.5":  {"event /a=2@3 /a=3@4", "event /a=2@3 /a=3@4"},
		"3.6.6":  {"event /a=1@2 /a=2@3 /a=3@4"},
		"3.7.0":  {"event /a=1@2 /a=2@3 /a=3@4"},
	} {
		b := newBench(t, v)
		b.put("/a", "1").put("/a", "2")
		b.request("first", create("/a", 3)).settle().step("fire etcd syncWatchersLoop").settle()
		b.put("/a", "3").settle()
		b.request("w", create("/a", -1)).settle().request("w", create("/a", 2)).settle().take()
		b.step("fire etcd syncWatchersLoop").settle()
		require.Equal(t, want, b.take(), v)
	}
}

func TestNegativeStartForgetsWhatWasKeptWithAnEmptyTurn(t *testing.T) {
	b := newBench(t, "3.6.5")
	b.put("/a", "1")
	b.request("w", create("/a", -1)).settle().step("fire etcd syncWatchersLoop").settle()
	b.request("w", create("/a", 2)).settle().step("fire etcd syncWatchersLoop").settle().take()
	b.request("w", create("/a", -1)).settle().step("fire etcd syncWatchersLoop").settle()
	require.Equal(t, []string{"created, rev 2", "event /a=1@2"}, b.take())
	require.EqualValues(t, 1, b.covered("watch from a negative revision sent history that was kept"))

	// After a snapshot synced watchers wait for the next turn again, and want nothing of the past.
	b.step("inject snapshot etcd").settle().step("fire etcd syncWatchersLoop").settle()
	b.request("w", create("/a", -1)).settle().step("fire etcd syncWatchersLoop").settle()
	require.Equal(t, []string{"created, rev 2"}, b.take(), "the turn before found no changes, and has kept none")

	b.request("w", create("/a", 2)).settle().step("fire etcd syncWatchersLoop").settle().take()
	b.step("inject restart etcd").settle()
	b.user.told, b.user.streams = nil, map[string]sim.Conn{}
	b.request("w", create("/a", -1)).settle().step("fire etcd syncWatchersLoop").settle()
	require.Equal(t, []string{"created, rev 2"}, b.take(), "a new process has kept nothing")
}

// Who takes no lock sees the events of a write before its revision: a reader on the same
// server, and until 3.5.21 the revision that a watch of the present begins behind.
func TestEventsAreSentBeforeTheRevisionIsVisible(t *testing.T) {
	late := func(c *etcd.Config) { c.Store.VisibleLater = true }
	sent := func(t *testing.T, v string, change ...func(*etcd.Config)) *bench {
		b := newBench(t, v, change...)
		b.request("w", create("/a", 0)).settle().take()
		b.call(&wire.PutRequest{Key: "/a", Value: "1"}).step("deliver user>etcd", "run etcd applyLoop").settle("applyLoop")
		require.Equal(t, []string{"event /a=1@2"}, b.take())
		return b
	}
	read := func(b *bench, serializable bool) *bench {
		return b.call(&wire.RangeRequest{Key: "/a", Serializable: serializable}).settle("applyLoop")
	}

	b := read(sent(t, "3.6.16", late), true)
	require.Equal(t, "rev 1: 0 items", b.last().Label())
	require.EqualValues(t, 1, b.covered("revision read before a write is visible whose events are in a watch channel"))
	b.settle()
	require.Equal(t, "rev 2", b.last().Label(), "the put is answered when its revision is visible")
	require.Equal(t, "rev 2: 1 items", read(b, true).last().Label())

	b = read(sent(t, "3.6.16", late), false)
	require.Empty(t, b.user.told, "a linearizable read waits until the write is applied to its end")
	b.settle()
	require.Equal(t, "rev 2: 1 items", b.last().Label())

	require.Equal(t, "rev 2: 1 items", read(sent(t, "3.6.16"), true).last().Label(), "in one step")

	b = sent(t, "3.5.21", late)
	b.request("w", create("/a", 0)).settle("applyLoop")
	require.Equal(t, "created, rev 1", b.last().Label(), "Rev takes no lock, and comes first")
	b = sent(t, "3.5.22", late)
	b.request("w", create("/a", 0)).settle("applyLoop")
	require.Equal(t, "created, rev 2", b.last().Label(), "the watch has waited for the lock")
	b = sent(t, "3.5.22", late)
	b.request("w", &wire.WatchProgressRequest{}).settle("applyLoop")
	require.Equal(t, "progress 2", b.last().Label(), "progress waits for the lock")
	b = sent(t, "3.5.7", late)
	b.request("w", &wire.WatchProgressRequest{}).settle("applyLoop")
	require.Equal(t, "progress 1", b.last().Label(), "before 3.5.8 it does not")
}

// syncWatchers takes the lock that a write holds to its end: what a watcher is sent in a round
// is visible to each reader.
func TestSyncWatchersWaitsUntilTheRevisionIsVisible(t *testing.T) {
	b := newBench(t, "3.6.16", func(c *etcd.Config) { c.Store.VisibleLater = true })
	b.put("/a", "1").settle()
	b.request("w", create("/a", 0)).settle().request("late", create("/a", 2)).settle().take()
	b.call(&wire.PutRequest{Key: "/a", Value: "2"}).step("deliver user>etcd", "run etcd applyLoop", "fire etcd syncWatchersLoop").settle("applyLoop")
	require.ElementsMatch(t, []string{"event /a=2@3", "event /a=1@2 /a=2@3"}, b.take())
	b.call(&wire.RangeRequest{Key: "/a", Serializable: true}).settle("applyLoop")
	require.Equal(t, "rev 3: 1 items", b.last().Label())
}

func TestCrashBeforeTheRevisionIsVisible(t *testing.T) {
	b := newBench(t, "3.6.16", func(c *etcd.Config) { c.Store.VisibleLater = true })
	b.request("w", create("/a", 0)).settle().take()
	b.call(&wire.PutRequest{Key: "/a", Value: "1"}).step("deliver user>etcd", "run etcd applyLoop", "inject restart etcd").settle().take()
	b.put("/a", "2").settle()
	require.Equal(t, "rev 3", b.last().Label())
	require.Equal(t, "rev 3: 1 items", b.call(&wire.RangeRequest{Key: "/a", Serializable: true}).settle().last().Label())
}

func TestDeletionAtTheCompactedRevision18089(t *testing.T) {
	for v, want := range map[string][]string{
		"3.4.33": {"created, rev 3"}, "3.5.15": {"created, rev 3"},
		"3.4.34": {"created, rev 3", "event -/a@3"}, "3.5.16": {"created, rev 3", "event -/a@3"}, "3.6.0": {"created, rev 3", "event -/a@3"},
	} {
		b := newBench(t, v)
		b.put("/a", "1").remove("/a").compact(3).settle()
		b.request("w", create("/a", 3)).settle().step("fire etcd syncWatchersLoop").settle()
		require.Equal(t, want, b.take(), v)
	}
}

// rewrite deletes all keys from /a on and puts /a on a lease. checkIntervals takes the end "\x00" for a key below all others.
var rewrite = &wire.TxnRequest{Success: []wire.RequestOp{
	{DeleteRange: &wire.DeleteRangeRequest{Key: "/a", RangeEnd: "\x00"}}, {Put: &wire.PutRequest{Key: "/a", Value: "2", Lease: 7}},
}}

// doCompact stops at the first generation with "tomb >= atRev" (mvcc/key_index.go at v3.5.16; "tomb > atRev" at v3.5.15),
// although the next one begins at atRev, too. rangeKeys does not find its revision: "range failed to find revision pair".
func TestKeyPutAgainAtTheCompactedRevision22376(t *testing.T) {
	read := &wire.RangeRequest{Key: "/a"}
	lost := func(version string) *bench {
		return newBench(t, version).write(&wire.LeaseGrantRequest{ID: 7, TTL: 60}).put("/a", "1").write(rewrite).compact(3).settle()
	}
	for _, v := range []string{"3.3.27", "3.4.33", "3.5.12", "3.5.15"} {
		require.Equal(t, "rev 3: 1 items", lost(v).call(read).settle().last().Label(), v)
	}
	for _, v := range []string{"3.4.34", "3.5.16", "3.5.35", "3.6.0", "3.6.16", "3.7.3"} {
		b := lost(v)
		require.EqualValues(t, 1, b.call(&wire.RangeRequest{Key: "/a", CountOnly: true}).settle().last().(*wire.RangeResponse).Count, "the index has it")
		require.Equal(t, "connection broken", b.call(read).settle().last().Label(), v)
		require.Equal(t, "rev 3: 0 items", b.call(read).settle().last().Label(), v)
		require.Empty(t, b.call(&wire.LeaseTimeToLiveRequest{ID: 7, Keys: true}).settle().last().(*wire.LeaseTimeToLiveResponse).Keys, v)
	}
	b := lost("3.6.16").put("/a", "3").settle()
	require.EqualValues(t, 2, b.call(read).settle().last().(*wire.RangeResponse).Kvs[0].Version, "a put reads the index only")
	bare := &wire.RangeRequest{Key: "/a", KeysOnly: true}
	require.Equal(t, "connection broken", lost("3.6.16").call(bare).settle().last().Label())
	require.Equal(t, "rev 3: 1 items", lost("3.7.3").call(bare).settle().last().Label(), "it reads the index only")

	// The watch is sent what the backend has.
	b = lost("3.6.16")
	b.request("w", create("/a", 3)).settle().step("fire etcd syncWatchersLoop").settle()
	require.Equal(t, []string{"created, rev 3", "event -/a@3"}, b.take())

	b, previous := lost("3.6.16"), create("/a", 0)
	previous.PrevKv = true
	b.request("w", previous).settle().put("/a", "3").settle()
	require.Equal(t, "connection broken", b.last().Label(), "the event looks for the value before it")
}

// A process that exits while it applies a transaction has applied nothing of it: the next one applies the entry of the log.
func TestTransactionThatMeetsALostKey(t *testing.T) {
	b := newBench(t, "3.6.16").write(&wire.LeaseGrantRequest{ID: 7, TTL: 60}).put("/a", "1").write(rewrite).compact(3).settle()
	put := func(key string) []wire.RequestOp {
		return []wire.RequestOp{{Put: &wire.PutRequest{Key: key, Value: "3", PrevKv: true}}}
	}
	b.call(&wire.TxnRequest{Compare: []wire.Compare{{Key: "/a", Target: wire.CompareVersion, Operand: 1}}, Success: put("/b"), Failure: put("/c")}).settle()
	require.Equal(t, "connection broken", b.last().Label())
	all := b.call(&wire.RangeRequest{Key: "/", RangeEnd: "0"}).settle().last().(*wire.RangeResponse)
	require.EqualValues(t, 4, all.Revision)
	require.Equal(t, "/c", all.Kvs[0].Key, "the next process finds no /a to compare")
}

func TestDeletionAtAnInterruptedCompaction19179(t *testing.T) {
	for v, want := range map[string][]string{
		"3.5.17": {"created, rev 4"}, "3.5.18": {"created, rev 4", "event -/a@3"},
	} {
		b := newBench(t, v, func(c *etcd.Config) { c.Store.CompactionBatchLimit = 2 })
		// The first batch leaves nothing of the key but its deletion.
		b.put("/a", "1").remove("/a").put("/b", "1").compact(3).step("scheduleCompaction")
		require.EqualValues(t, 1, b.covered("compaction pauses between batches"))
		b.step("inject restart etcd").settle()
		require.EqualValues(t, 1, b.covered("compaction resumed after a restart"))
		b.user.told, b.user.streams = nil, map[string]sim.Conn{}
		b.request("w", create("/a", 3)).settle().step("fire etcd syncWatchersLoop").settle()
		require.Equal(t, want, b.take(), v)
	}
}

func TestRevisionGoesBack17780(t *testing.T) {
	for v, want := range map[string]int64{"3.4.31": 2, "3.5.13": 2, "3.4.32": 4, "3.5.14": 4, "3.6.0": 4} {
		b := newBench(t, v, func(c *etcd.Config) { c.Store.CompactionBatchLimit = 3 })
		b.put("/b", "1").put("/a", "1").remove("/a").compact(4).step("scheduleCompaction")
		b.step("inject restart etcd")
		if want == 2 {
			require.Equal(t, want, b.server.Revision(), v)
			require.EqualValues(t, 1, b.covered("revision goes back"))
			continue
		}
		require.Equal(t, want, b.server.Revision(), v)
	}
}

func TestWriteBetweenReadingTheRevisionAndRegistering(t *testing.T) {
	for v, want := range map[string][]string{
		"3.5.21": {"created, rev 1", "event /a=1@2", "event /a=2@3"},
		"3.5.22": {"created, rev 2", "event /a=2@3"},
	} {
		b := newBench(t, v)
		b.request("w", create("/a", 0)).step("deliver user>etcd").put("/a", "1").settle()
		if v == "3.5.21" {
			require.EqualValues(t, 1, b.covered("a write came between reading the revision and registering the watch"))
			b.step("fire etcd syncWatchersLoop").settle()
		}
		b.put("/a", "2").settle()
		require.Equal(t, want, b.take(), v)
	}
}

func TestCreatedNamesARevisionPastTheFirstEvent(t *testing.T) {
	for v, want := range map[string][]string{
		"3.5.21": {"created, rev 1", "event /a=1@2"},
		"3.5.22": {"created, rev 2", "event /a=1@2"},
	} {
		b := newBench(t, v)
		b.request("w", create("/a", 0)).step("deliver user>etcd", "recvLoop user.0 watches").put("/a", "1").settle()
		require.Equal(t, want, b.take(), v)
	}
}

func TestEventsWaitForCreated(t *testing.T) {
	b := newBench(t, "3.5.35")
	c := create("/a", 0)
	c.PrevKv = true
	b.put("/a", "0").request("w", c).step("deliver user>etcd", "recvLoop user.0 watches")
	b.put("/a", "1").step("takes watchStream").settle()
	require.EqualValues(t, 1, b.covered("pending events flushed after Created"))
	b.put("/a", "2").settle()
	var prev []bool
	for _, p := range b.user.told {
		if r, ok := p.(*wire.WatchResponse); ok && len(r.Events) > 0 {
			prev = append(prev, r.Events[0].PrevKv != nil)
		}
	}
	require.Equal(t, []bool{false, true}, prev, "the first event was taken before it was noted that previous values are wanted")
}

func TestCompactionBetweenReadsOfPreviousValues(t *testing.T) {
	b := newBench(t, "3.5.35")
	b.put("/a", "0").put("/a", "1").put("/a", "2").put("/a", "3")
	c := create("/a", 3)
	c.PrevKv = true
	b.request("w", c).settle().step("fire etcd syncWatchersLoop")
	b.user.told = nil
	b.call(&wire.CompactionRequest{Revision: 5}).step("deliver user>etcd", "takes watchStream", "applyLoop", "reads prevKV").settle()
	var got []bool
	for _, p := range b.user.told {
		if r, ok := p.(*wire.WatchResponse); ok {
			for _, e := range r.Events {
				got = append(got, e.PrevKv != nil)
			}
		}
	}
	require.Equal(t, []bool{true, false, false}, got)
}

func TestFullCtrlStreamBlocksRecvLoop(t *testing.T) {
	slow := func(c *etcd.Config) { c.Watch.CtrlStreamBufLen, c.Watch.SendWindow = 1, 1 }
	b := newBench(t, "3.5.35", slow)
	for range 5 {
		b.request("w", create("/a", 0))
	}
	b.settle("deliver etcd>user")
	require.NotZero(t, b.covered("ctrlStream full, recvLoop blocked"))
	require.NotZero(t, b.covered("Send blocks"))
	b.settle()
	require.Len(t, b.take(), 5)
	require.Empty(t, b.names())

	b = newBench(t, "3.5.35", slow)
	for range 5 {
		b.request("w", create("/a", 0))
	}
	b.settle("deliver etcd>user").do(func(env *sim.Env) { env.Close(b.user.streams["w"]) }).settle()
	require.EqualValues(t, 1, b.covered("stream ended while Send was blocked"))
	require.Empty(t, b.names())
	b.put("/a", "1")
	require.Zero(t, b.covered("synced watcher notified"), "the watchers are gone")
}

func TestManyUnsyncedWatchersAreSyncedInSubsets(t *testing.T) {
	b := newBench(t, "3.5.35", func(c *etcd.Config) { c.Store.MaxWatchersPerSync = 2 })
	b.put("/a", "1")
	for range 5 {
		b.request("w", create("/a", 2)).settle()
	}
	b.take()
	for _, n := range []int{2, 2, 1} {
		b.step("fire etcd syncWatchersLoop").settle()
		require.Len(t, b.take(), n)
	}
	require.Empty(t, b.names())
	require.EqualValues(t, 2, b.covered("next sync at once, more work pending"))
}

func TestCompactedWatcherOfASubsetIsCanceledTwice(t *testing.T) {
	b := newBench(t, "3.5.35", func(c *etcd.Config) { c.Store.MaxWatchersPerSync = 1 })
	b.put("/a", "1").put("/a", "2").compact(3).settle()
	b.request("w", create("/a", 2)).settle().take()
	for range 2 {
		b.step("fire etcd syncWatchersLoop").settle()
		require.Equal(t, []string{"canceled: compacted at 3"}, b.take())
	}
}

func TestBatchesOfHistory(t *testing.T) {
	b := newBench(t, "3.5.35", func(c *etcd.Config) { c.Store.WatchBatchMaxRevs = 2 })
	for _, v := range []string{"1", "2", "3"} {
		b.put("/a", v)
	}
	b.request("w", create("/a", 2)).settle().take()
	for _, want := range [][]string{{"event /a=1@2 /a=2@3"}, {"event /a=3@4"}} {
		b.step("fire etcd syncWatchersLoop").settle()
		require.Equal(t, want, b.take())
	}
}

func TestRestartKeepsTheStoreAndWhatWasCommitted(t *testing.T) {
	b := newBench(t, "3.5.35")
	b.put("/a", "1").compact(2).request("w", create("/a", 0)).settle()
	b.call(&wire.PutRequest{Key: "/a", Value: "2"}).step("deliver user>etcd").take()
	b.step("inject restart etcd")
	require.Zero(t, b.covered("compaction resumed after a restart"), "it was finished")
	b.settle()
	require.EqualValues(t, 2, b.server.CompactRevision())
	require.EqualValues(t, 3, b.server.Revision(), "the write was in the log")
	require.EqualValues(t, 1, b.covered("restart with writes committed and not applied"))
	b.call(&wire.RangeRequest{Key: "/a"}).settle()
	require.Equal(t, "2", b.last().(*wire.RangeResponse).Kvs[0].Value)
}

func TestLinearizableReadWaitsForWhatIsCommitted(t *testing.T) {
	b := newBench(t, "3.5.35")
	b.call(&wire.PutRequest{Key: "/a", Value: "1"}).step("deliver user>etcd")
	b.call(&wire.RangeRequest{Key: "/a"}).step("deliver user>etcd", "linearizableReadLoop")
	b.call(&wire.RangeRequest{Key: "/a", Serializable: true}).step("deliver user>etcd", "Range user.1")
	require.Equal(t, []string{"run etcd applyLoop"}, b.names()[:1])
	require.NotContains(t, b.names(), "run etcd Range user.0")
	b.settle()
	var counts []int64
	for _, p := range b.user.told {
		if r, ok := p.(*wire.RangeResponse); ok {
			counts = append(counts, r.Count)
		}
	}
	require.ElementsMatch(t, []int64{0, 1}, counts)
	require.EqualValues(t, 1, b.covered("linearizable read waits for apply"))
}

func TestReadsThatWaitTogetherAreConfirmedTogether(t *testing.T) {
	b := newBench(t, "3.5.35")
	b.put("/a", "1")
	b.call(&wire.RangeRequest{Key: "/a"}).step("deliver user>etcd")
	b.call(&wire.TxnRequest{Success: []wire.RequestOp{{Range: &wire.RangeRequest{Key: "/a"}}}}).step("deliver user>etcd")
	b.step("linearizableReadLoop")
	require.EqualValues(t, 1, b.covered("several linearizable reads confirmed at once"))
	require.Contains(t, b.names(), "run etcd Range user.0")
	require.Contains(t, b.names(), "run etcd Txn user.1", "each reads on its own")
	b.put("/a", "2").step("Txn user.1").settle()
	require.Len(t, b.server.Committed(), 2, "a transaction that only reads is not in the log")
}

func TestCompactionIsAnsweredWithTheRevisionOfTheAnswer(t *testing.T) {
	b := newBench(t, "3.5.35")
	b.put("/a", "1").compact(2).put("/a", "2").step("Compact user.0").settle()
	var got int64
	for _, p := range b.user.told {
		if r, ok := p.(*wire.CompactionResponse); ok {
			got = r.Revision
		}
	}
	require.EqualValues(t, 3, got)
}

func TestFiltersAndDeferredCreation(t *testing.T) {
	b := newBench(t, "3.5.12")
	b.put("/a", "1").request("w", create("/a", 2)).settle().request("w", &wire.WatchProgressRequest{}).settle()
	c := create("/a", 2)
	c.Filters = wire.NoPut
	b.request("w", c).settle()
	require.EqualValues(t, 1, b.covered("watch created while progress is deferred"))
	b.step("fire etcd syncWatchersLoop").settle()
	require.EqualValues(t, 1, b.covered("all events filtered out"))
	require.Equal(t, []string{"created, rev 2", "created, rev 2", "event /a=1@2", "progress 2"}, b.take())
}

// Timed, the sync loop has a phase, and a watcher waits for the next of its
// turns, 100 ms apart.
func TestSyncWatchersLoopKeepsItsPhase(t *testing.T) {
	for phase, want := range map[int]sim.Duration{0: 100 * time.Millisecond, 30: 70 * time.Millisecond, 99: time.Millisecond} {
		cfg, err := etcd.DefaultConfig("3.5.35")
		require.NoError(t, err)
		cfg.Initial, cfg.InitialRevision = []*wire.KeyValue{{Key: "/a", CreateRevision: 2, ModRevision: 2, Version: 1}}, 2
		b := &bench{t: t, w: sim.NewWorld(sim.Options{Mode: sim.Timed}), server: etcd.New(cfg), user: &user{streams: map[string]sim.Conn{}}}
		b.choices = []int{phase}
		b.w.Add("etcd", b.server)
		b.w.Add("asker", &asker{watches: []*wire.WatchCreateRequest{create("/a", 2)}})
		b.w.Start(b)
		for b.covered("unsynced watcher brought its history and synced") == 0 {
			require.True(t, b.w.Step(first{b}))
		}
		require.Equal(t, want, b.w.Now().Sub(0), "phase %d", phase)
		require.Equal(t, "phase of syncWatchersLoop", b.asked[0])
	}
}

// first picks what comes first; the bench answers the choices.
type first struct{ *bench }

func (first) Pick(*sim.World, []sim.Action) int { return 0 }
