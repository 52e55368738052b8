package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// newest is a version without known defects in clientv3.
const newest = "3.6.16"

func TestWatchesAreCreatedOneByOne(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.watch("/a/", 4, "")
	b.watch("/b/", 5, "")
	b.watch("/c/", 6, "")
	b.settle()
	require.Equal(t, []string{"0 create watch /a/... from 5"}, b.etcd.take())
	b.respond(0, createdAt(0, 9))
	b.settle()
	require.Equal(t, []string{"0 create watch /b/... from 6"}, b.etcd.take())
	b.respond(0, createdAt(1, 9))
	b.settle()
	require.Equal(t, []string{"0 create watch /c/... from 7"}, b.etcd.take())
	require.EqualValues(t, 2, b.count("a watch waits until the one before it is created"))
	require.Equal(t, &wire.WatchCreateRequest{Key: "/c/", RangeEnd: "/c0", StartRevision: 7, ProgressNotify: true, PrevKv: true, RequireLeader: true}, b.etcd.last)
}

func TestMetadataSeparatesStreams(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.watch("/a/", 0, "")
	b.watch("/b/", 0, "source=cache")
	b.watch("/c/", 0, "source=cache")
	b.settle()
	require.Equal(t, []string{"0 create watch /a/... from 1", "1 create watch /b/... from 1"}, b.etcd.take())
	b.requestProgress("source=cache")
	b.settle()
	require.Equal(t, []string{"1 progress request"}, b.etcd.take())
}

func TestProgressRequestOpensAStream(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.requestProgress("m")
	b.settle()
	require.Equal(t, []string{"0 progress request"}, b.etcd.take())
	b.respond(0, progress(wire.InvalidWatchID, 7))
	b.requestProgress("m")
	b.watch("/a/", 0, "m")
	b.settle()
	require.Equal(t, []string{"0 progress request", "0 create watch /a/... from 1"}, b.etcd.take())
	require.EqualValues(t, 1, b.count("a progress request opens a stream"))
	require.EqualValues(t, 1, b.count("progress is requested of a stream on which no watch is registered"))
}

func TestBroadcastReachesRegisteredWatchesOnly(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.watch("/a/", 4, "")
	b.watch("/b/", 4, "")
	b.watch("/c/", 4, "")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.respond(0, createdAt(1, 4))
	b.settle()
	b.respond(0, progress(wire.InvalidWatchID, 9), createdAt(2, 9), progress(wire.InvalidWatchID, 11), progress(1, 12))
	b.settle()
	require.ElementsMatch(t, []string{"0 BOOKMARK RV=9", "1 BOOKMARK RV=9",
		"0 BOOKMARK RV=11", "1 BOOKMARK RV=11", "2 BOOKMARK RV=11", "1 BOOKMARK RV=12"}, b.cache.take())
	require.EqualValues(t, 1, b.count("a broadcast misses a watch that is not registered yet"))
}

func TestAReleaseResumesAtOrAfterProgress(t *testing.T) {
	for version, want := range map[string]string{
		"3.4.23": "0 create watch /a/... from 9", "3.5.7": "0 create watch /a/... from 9",
		"3.4.24": "0 create watch /a/... from 10", "3.5.8": "0 create watch /a/... from 10", "v3.7.3": "0 create watch /a/... from 10",
	} {
		b := newBench(t, config(t, version))
		b.watch("/a/", 4, "")
		b.settle()
		b.respond(0, createdAt(0, 4), events(0, putAt("/a/x", 9)), progress(0, 9))
		b.settle()
		require.Equal(t, []string{"0 ADDED RV=9 /a/x=v9", "0 BOOKMARK RV=9"}, b.cache.take())
		b.etcd.take()
		b.breakStream()
		b.etcd.conns = nil
		b.do("fire client backoff")
		b.settle()
		require.Contains(t, b.etcd.take(), want, version)
		require.EqualValues(t, 1, b.count("a watch resumes after a progress notification"))
		// A right server sends what the client asks for: the event at 9 again.
		if version == "3.5.7" {
			b.respond(0, createdAt(0, 9), events(0, putAt("/a/x", 9)))
			b.settle()
			require.Equal(t, []string{"0 ADDED RV=9 /a/x=v9"}, b.cache.take(), "the event comes twice")
		}
	}
}

// A progress notification that overtook its events (etcd #15220) is repaired by
// the events that follow, unless the stream breaks in between: then they are
// lost here. Either rule loses them; the later one loses the last as well.
func TestEarlyProgressLosesEventsInTheClient(t *testing.T) {
	for version, want := range map[string]string{
		"3.5.7":  "0 create watch /a/... from 8",
		"3.5.13": "0 create watch /a/... from 9",
	} {
		b := newBench(t, config(t, version))
		b.watch("/a/", 4, "")
		b.settle()
		b.respond(0, createdAt(0, 8), progress(wire.InvalidWatchID, 8))
		b.settle()
		b.respond(0, events(0, putAt("/a/x", 6), putAt("/a/y", 7), putAt("/a/z", 8)))
		b.choices = []int{0} // the events do not survive the break
		b.do("inject break client>etcd")
		b.choices = nil
		b.settle()
		b.etcd.take()
		b.etcd.conns = nil
		b.do("fire client backoff")
		b.settle()
		require.Contains(t, b.etcd.take(), want, "6 and 7 are never asked for again")
		require.Equal(t, []string{"0 BOOKMARK RV=8"}, b.cache.take())
	}
}

// Without the early notification the same break loses nothing, whatever the rule.
func TestBreakBeforeEventsLosesNothing(t *testing.T) {
	for _, version := range []string{"3.5.7", "3.5.13"} {
		b := newBench(t, config(t, version))
		b.watch("/a/", 4, "")
		b.settle()
		b.respond(0, createdAt(0, 8))
		b.settle()
		b.respond(0, events(0, putAt("/a/x", 6)))
		b.choices = []int{0}
		b.do("inject break client>etcd")
		b.choices = nil
		b.settle()
		b.etcd.take()
		b.do("fire client backoff")
		b.settle()
		require.Contains(t, b.etcd.take()[0], "create watch /a/... from 5")
	}
}

func TestWatchOfThePresentResumesWhereItWasCreated(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.watch("/a/", wire.Unset, "")
	b.settle()
	require.Equal(t, []string{"0 create watch /a/... from 0"}, b.etcd.take())
	b.respond(0, createdAt(0, 7))
	b.settle()
	b.breakStream()
	b.etcd.take()
	b.etcd.conns = nil
	b.do("fire client backoff")
	b.settle()
	require.Equal(t, []string{"0 create watch /a/... from 7"}, b.etcd.take())
	require.EqualValues(t, 1, b.count("a watch resumes after an event or where it began"))
	// The revision of the second creation is not noted.
	b.respond(0, createdAt(3, 12))
	b.settle()
	b.breakStream()
	b.etcd.take()
	b.do("fire client backoff")
	b.settle()
	require.Contains(t, b.etcd.take()[0], "create watch /a/... from 7")
}

func TestResumeKeepsTheBufferAndTheOrderIsAChoice(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.watch("/a/", 4, "")
	b.watch("/b/", 4, "")
	b.watch("/c/", 4, "")
	b.settle()
	for id := range int64(2) {
		b.respond(0, createdAt(id, 4))
		b.settle()
	}
	b.respond(0, events(1, putAt("/b/x", 5)), events(1, putAt("/b/x", 6)))
	b.settle("run client startWatching")
	b.choices = []int{2, 2}
	b.do("inject break client>etcd")
	b.settle("run client startWatching")
	b.etcd.take()
	b.etcd.conns = nil
	// /c/ was in the queue already and keeps its place there. The first choice
	// of two puts /b/ before /a/.
	b.choices = []int{1}
	b.do("fire client backoff")
	b.settle("run client startWatching")
	b.respond(0, createdAt(0, 6))
	b.settle("run client startWatching")
	b.respond(0, createdAt(1, 6))
	b.settle("run client startWatching")
	require.Equal(t, []string{"0 create watch /c/... from 5", "0 create watch /b/... from 7", "0 create watch /a/... from 5"}, b.etcd.take())
	require.Empty(t, b.cache.take())
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=5 /b/x=v5", "0 ADDED RV=6 /b/x=v6"}, b.cache.take())
	require.EqualValues(t, 1, b.count("a watch resumes with responses in its buffer"))
	require.EqualValues(t, 1, b.count("a watch resumes that was never created"))
}

func TestBackoffGrowsAndNeverGoesBack(t *testing.T) {
	b := newBenchIn(t, config(t, newest), sim.Options{Mode: sim.Timed})
	b.watch("/a/", 4, "")
	// From here on the test nodes do not act: time would stand still.
	b.cache.act, b.etcd.act = nil, nil
	b.do("run cache act")
	b.do("run etcd act")
	var waits []time.Duration
	for range 25 {
		b.settle()
		b.do("inject break")
		b.settle()
		begin := b.w.Now()
		b.do("fire client backoff")
		waits = append(waits, b.w.Now().Sub(begin))
	}
	require.Equal(t, []time.Duration{1250 * time.Microsecond, 1562500, 1953125}, waits[:3])
	require.Equal(t, 100*time.Millisecond, waits[24])
}

func TestStopCancelsOnTheServer(t *testing.T) {
	b := newBench(t, config(t, newest))
	first, second := b.watch("/a/", 4, ""), b.watch("/b/", 4, "")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.respond(0, createdAt(1, 4))
	b.settle()
	b.etcd.take()

	b.stop(first)
	b.settle("run client run")
	// run does not know yet: it finds the substream deaf, and cancels.
	b.respond(0, events(0, putAt("/a/x", 5)), events(0, putAt("/a/x", 6)))
	b.settle("run client run")
	require.Equal(t, []string{"0 cancel watch 0"}, b.etcd.take())
	b.settle()
	require.Equal(t, []string{"0 cancel watch 0"}, b.etcd.take())
	require.EqualValues(t, 1, b.count("a response for an unexpected watch id makes the client cancel it"))
	require.EqualValues(t, 1, b.count("another response for an id that is being cancelled"))
	// The answer to the cancel clears the id.
	b.respond(0, &wire.WatchResponse{WatchID: 0, Canceled: true}, events(0, putAt("/a/x", 7)))
	b.settle()
	require.Equal(t, []string{"0 cancel watch 0"}, b.etcd.take())

	b.stop(second)
	b.settle()
	require.Equal(t, []string{"0 connection closed"}, b.etcd.take())
	require.Empty(t, b.cache.take())
}

func TestAnAbandonedCreationHoldsUpTheNextOne(t *testing.T) {
	b := newBench(t, config(t, newest))
	first, second := b.watch("/a/", 4, ""), b.watch("/b/", 4, "")
	b.settle()
	b.etcd.take()
	b.stop(second)
	b.settle()
	b.stop(first)
	b.settle()
	require.EqualValues(t, 1, b.count("a stream stays open for a watch that was abandoned"))
	b.watch("/c/", 4, "")
	b.settle()
	require.Empty(t, b.etcd.take(), "the head of the queue waits for its Created")
	b.respond(0, createdAt(0, 4))
	b.settle()
	require.Equal(t, []string{"0 create watch /c/... from 5"}, b.etcd.take())
	require.EqualValues(t, 1, b.count("a watch is created that was abandoned meanwhile"))
	b.respond(0, createdAt(1, 4), events(0, putAt("/a/x", 5)))
	b.settle()
	require.Equal(t, []string{"0 cancel watch 0"}, b.etcd.take())
}

func TestAClosingWatchIsCreatedAgainAndThenCancelled(t *testing.T) {
	b := newBench(t, config(t, newest))
	first := b.watch("/a/", 4, "")
	b.watch("/b/", 4, "")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.breakStream()
	b.etcd.take()
	b.etcd.conns = nil
	b.stop(first)
	b.settle()
	b.choices = []int{0}
	b.do("fire client backoff")
	require.EqualValues(t, 1, b.count("a watch that is closing resumes"))
	b.settle("run client run")
	require.Equal(t, []string{"0 create watch /b/... from 5"}, b.etcd.take())
	b.respond(0, createdAt(0, 4))
	b.settle("run client run")
	require.Equal(t, []string{"0 create watch /a/... from 5"}, b.etcd.take())
	b.respond(0, createdAt(1, 4))
	b.settle()
	require.Equal(t, []string{"0 cancel watch 1"}, b.etcd.take())
}

func TestIdsOfAnEarlierStreamAreForgotten(t *testing.T) {
	b := newBench(t, config(t, newest))
	first := b.watch("/a/", 4, "")
	b.watch("/b/", 4, "")
	b.settle()
	for id := range int64(2) {
		b.respond(0, createdAt(id, 4))
		b.settle()
	}
	b.stop(first)
	b.settle()
	b.breakStream()
	b.etcd.take()
	b.etcd.conns = nil
	b.do("fire client backoff")
	b.settle()
	b.respond(0, createdAt(1, 4), events(0, putAt("/a/x", 5)))
	b.settle()
	require.Equal(t, []string{"0 create watch /b/... from 5", "0 cancel watch 0"}, b.etcd.take())
}

func TestClosingSubstreamWaitsWhileTheStreamBacksOff(t *testing.T) {
	b := newBench(t, config(t, newest))
	first := b.watch("/a/", 4, "")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.stop(first)
	b.settle("run client run")
	require.True(t, b.enabled("run client run"))
	b.do("inject break client>etcd")
	b.settle("run client run")
	require.False(t, b.enabled("run client run"))
	b.do("fire client backoff")
	require.True(t, b.enabled("run client run"))
}

func TestEverythingWaitsWhileTheStreamBacksOff(t *testing.T) {
	b := newBench(t, config(t, newest))
	first := b.watch("/a/", 4, "")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.breakStream()
	b.etcd.take()
	b.etcd.conns = nil
	b.requestProgress("")
	b.requestProgress("")
	third := b.watch("/c/", 4, "")
	b.watch("/b/", 4, "")
	b.settle()
	b.stop(third)
	b.stop(first)
	b.settle()
	require.False(t, b.enabled("run client"))
	require.Empty(t, b.etcd.take())
	b.do("fire client backoff")
	// run chooses between the request in reqc and the substream in closingc.
	b.choices = []int{0, 1}
	b.settle()
	require.Equal(t, []string{"0 create watch /a/... from 5", "0 progress request"}, b.etcd.take())
	b.respond(0, createdAt(0, 4))
	b.settle()
	require.Equal(t, []string{"0 create watch /b/... from 5"}, b.etcd.take())
	for _, s := range []string{"a watch is requested while its stream backs off", "progress is requested while the stream backs off",
		"the progress requester is blocked by a stream that backs off", "the cache stops a watch that waits for a stream that backs off"} {
		require.NotZero(t, b.count(s), s)
	}
}

func TestRequestsOutliveAStreamThatCloses(t *testing.T) {
	b := newBench(t, config(t, newest))
	first := b.watch("/a/", 4, "m")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.breakStream()
	b.etcd.take()
	b.watch("/b/", 6, "m")
	b.requestProgress("m")
	b.settle()
	b.etcd.conns = nil
	b.stop(first)
	b.settle()
	b.do("fire client backoff")
	b.settle("run client run")
	b.respond(0, createdAt(0, 4))
	b.settle("run client run")
	b.choices = []int{1} // closingc first: the last watch of the stream
	b.settle()
	got := b.etcd.take()
	require.Len(t, got, 4)
	require.Equal(t, []string{"0 create watch /a/... from 5", "0 connection closed"}, only(got, "0 "))
	require.Equal(t, []string{"1 create watch /b/... from 7", "1 progress request"}, only(got, "1 "))
	require.EqualValues(t, 1, b.count("a watch is requested of a stream that just closed, and opens another"))
}

func only(lines []string, prefix string) (some []string) {
	for _, l := range lines {
		if len(l) >= len(prefix) && l[:len(prefix)] == prefix {
			some = append(some, l)
		}
	}
	return some
}

func TestFragmentsAreMergedUnlessTheStreamBreaks(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.watch("/a/", 4, "")
	b.watch("/b/", 4, "")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.respond(0, createdAt(1, 4))
	b.settle()
	fragment := func(more bool, all ...wire.Event) *wire.WatchResponse {
		p := events(0, all...)
		p.Fragment = more
		return p
	}
	head := fragment(true, putAt("/a/x", 5))
	b.respond(0, head, fragment(true, putAt("/a/y", 5)), events(1, putAt("/b/x", 6)))
	b.settle()
	require.Empty(t, b.cache.take())
	b.respond(0, fragment(false, putAt("/a/z", 5)))
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=5 /a/x=v5", "0 ADDED RV=5 /a/y=v5", "0 ADDED RV=5 /a/z=v5"}, b.cache.take())
	require.Len(t, head.Events, 1, "a message never changes")
	require.EqualValues(t, 1, b.count("a response is lost between another's fragments"))

	b.respond(0, fragment(true, putAt("/a/x", 7)))
	b.settle()
	b.breakStream()
	require.EqualValues(t, 1, b.count("the stream to etcd breaks between fragments"))
	b.etcd.take()
	b.do("fire client backoff")
	b.settle()
	require.Contains(t, b.etcd.take()[0], "create watch /a/... from 6", "the fragment does not count")
}

// A stream that etcd ends because there is no leader is not opened again: run returns
// the error to every watch, as for one that a new stream would have too.
func TestWithoutLeaderAllWatchesEnd(t *testing.T) {
	b := newBench(t, config(t, newest))
	b.watch("/a/", 4, "")
	b.watch("/b/", 4, "")
	b.settle()
	b.respond(0, createdAt(0, 4))
	b.settle()
	b.etcd.take()
	b.respond(0, &wire.Error{Code: wire.NoLeader, Message: "etcdserver: no leader"})
	b.settle()
	require.Equal(t, []string{"0 ERROR RV=0 no leader", "0 connection closed", "1 ERROR RV=0 no leader", "1 connection closed"}, b.cache.take())
	require.Equal(t, []string{"0 connection closed"}, b.etcd.take(), "no new stream")
	require.EqualValues(t, 1, b.count("the stream to etcd ends because there is no leader"))
}

// gRPC's round_robin picks the next member for each new stream: one that ends because its
// member knows no leader is opened at the other one.
func TestStreamsAreOpenedAtTheNextMember(t *testing.T) {
	cfg, follower := config(t, newest), &actor{}
	cfg.WatchEndpoints = []sim.NodeID{etcdID, cacheID + 1}
	b := newBenchIn(t, cfg, sim.Options{}, func(b *bench) { b.w.Add("follower", follower) })
	b.watch("/a/", 4, "")
	b.settle()
	require.Equal(t, []string{"0 create watch /a/... from 5"}, b.etcd.take())
	require.Empty(t, follower.take())
	b.respond(0, &wire.Error{Code: wire.NoLeader, Message: "etcdserver: no leader"})
	b.settle()
	b.etcd.take()
	b.watch("/a/", 4, "")
	b.settle()
	require.Empty(t, b.etcd.take())
	require.Equal(t, []string{"0 create watch /a/... from 5"}, follower.take())
	require.EqualValues(t, 1, b.count("a stream is opened at the next member"))
}
