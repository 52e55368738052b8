package informer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/sim/wire"
)

// The flows of KEP-3157's appendix, and what client-go does where it is
// otherwise.

var (
	listing   = informer.Config{}
	streaming = informer.Config{Options: informer.Options{List: informer.ByWatchList}}
)

func TestAListIsFollowedByAWatchFromItsResourceVersion(t *testing.T) {
	b := newBed(t, sim.Untimed, listing)
	b.holds(0)
	b.list(wire.ListRequest{Limit: 500}, listed(5, item("a", 2), item("b", 5)))
	b.holds(5, "a@2", "b@5")
	conn := b.watch(5)
	b.send(conn, modified(item("a", 6)), added(item("c", 7)), deleted(item("b", 5), 8))
	b.holds(8, "a@6", "c@7")
	b.send(conn, bookmark(12))
	b.holds(12, "a@6", "c@7")
	b.idle()
	require.Equal(t, informer.Record{Listed: 1}, *b.informer.Record())
}

// A process may ask for the newest list first.
func TestAProcessMayAskForTheNewestListFirst(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Options: informer.Options{RV: informer.RVNewest}})
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 500}, listed(5))
	b.watch(5)
	b.holds(5)
}

// A list from etcd comes in pages; its resourceVersion is the first page's. From
// then on the informer lists in pages whatever it asks for.
func TestPagesHaveTheResourceVersionOfTheFirst(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Options: informer.Options{Page: 2}})
	first := listed(9, item("a", 2), item("b", 3))
	first.Continue = "more"
	b.list(wire.ListRequest{Limit: 2}, first)
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 2, Continue: "more"}, listed(10, item("c", 4)))
	b.holds(9, "a@2", "b@3", "c@4")
	b.fail(b.watch(9), gone)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: 9, Limit: 2}, listed(11))
	b.holds(11)
}

// Pages of the newest list say nothing of whether there is a cache.
func TestPagesOfTheNewestListDoNotShowThatThereIsNoCache(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Options: informer.Options{RV: informer.RVNewest, Page: 1}})
	first := listed(9, item("a", 2))
	first.Continue = "more"
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 1}, first)
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 1, Continue: "more"}, listed(9, item("b", 3)))
	b.fail(b.watch(9), gone)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: 9}, nil)
}

// The second page is gone: the list is asked for in one piece, once, and then
// the newest one.
func TestAListThatExpiresIsRequestedWholeAndThenNewest(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Options: informer.Options{Page: 1}})
	first := listed(9, item("a", 2))
	first.Continue = "more"
	b.list(wire.ListRequest{Limit: 1}, first)
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 1, Continue: "more"}, gone)
	b.list(wire.ListRequest{}, gone)
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 1}, gone)
	b.idle()
	b.holds(0)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 1}, listed(12, item("b", 12)))
	b.holds(12, "b@12")
	b.watch(12)
}

// Resume at the last resourceVersion: after a watch that closed it is the next
// event's or bookmark's.
func TestAWatchResumesAfterItsLastEventOrBookmark(t *testing.T) {
	b := newBed(t, sim.Untimed, listing)
	b.list(wire.ListRequest{Limit: 500}, listed(5))
	conn := b.watch(5)
	b.send(conn, added(item("a", 6)), bookmark(9))
	b.act(func(env *sim.Env) { env.Close(conn) })
	conn = b.watch(9)
	b.send(conn, added(item("b", 11)))
	b.do("inject break stream")
	conn = b.watch(11)
	b.holds(11, "a@6", "b@11")
	b.idle()
	// One that brings nothing at all is taken for a failure.
	b.act(func(env *sim.Env) { env.Close(conn) })
	b.idle()
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: 11}, nil)
}

// 410 on the watch: the list names the last resourceVersion as the minimum, so
// that a cache can serve it. Only if that is refused too, the newest is asked
// for; it comes in one piece.
func TestAListAfter410NamesTheLastResourceVersion(t *testing.T) {
	b := newBed(t, sim.Untimed, listing)
	b.list(wire.ListRequest{Limit: 500}, listed(5))
	b.fail(b.watch(5), gone)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: 5}, gone)
	b.list(wire.ListRequest{ResourceVersion: wire.Unset}, listed(9, item("a", 8)))
	b.holds(9, "a@8")
	// What is known now is good again.
	b.fail(b.watch(9), gone)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: 9}, nil)
}

// The flow of KEP-3157's appendix: a 410 on the watch is enough.
func TestAListAfter410MayAskForTheNewest(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Options: informer.Options{Newest: true}})
	b.list(wire.ListRequest{Limit: 500}, listed(5))
	b.fail(b.watch(5), gone)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 500}, listed(9, item("a", 8)))
	b.holds(9, "a@8")
	b.fail(b.watch(9), invalid)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: 9}, nil)
}

func TestAListMayNameItsMatch(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Options: informer.Options{NotOlder: true, Page: 1}})
	first := listed(5, item("a", 2))
	first.Continue = "more"
	b.list(wire.ListRequest{Limit: 1}, first)
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 1, Continue: "more"}, listed(5, item("b", 3)))
	b.fail(b.watch(5), gone)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: 5, Limit: 1, Match: wire.MatchNotOlderThan}, gone)
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 1}, nil)
}

// TestOnlyTheFirstListAsksForTheMostRecent: "resourceVersion="0" and
// resourceVersionMatch=MostRecent" are for the initial LIST; later ones name what the
// informer has (KEP-3157).
func TestOnlyTheFirstListAsksForTheMostRecent(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Options: informer.Options{RV: informer.RVMostRecent}})
	b.list(wire.ListRequest{Limit: 500, Match: wire.MatchMostRecent}, listed(5))
	b.fail(b.watch(5), gone)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: 5}, nil)
}

// "Too large": this API server is behind the one before.
func TestATooLargeResourceVersionIsGivenUp(t *testing.T) {
	b := newBed(t, sim.Untimed, listing)
	b.list(wire.ListRequest{Limit: 500}, listed(5))
	b.fail(b.watch(5), gone)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: 5}, tooLarge)
	b.list(wire.ListRequest{ResourceVersion: wire.Unset}, tooLarge)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: wire.Unset, Limit: 500}, nil)
}

func TestAWatchListFillsTheStoreAtItsEnd(t *testing.T) {
	b := newBed(t, sim.Untimed, streaming)
	conn := b.watchList(wire.Unset)
	b.send(conn, added(item("a", 2)), added(item("b", 3)))
	b.holds(0)
	b.send(conn, modified(item("a", 6)), deleted(item("b", 3), 7), bookmark(8))
	b.holds(0)
	b.send(conn, endOfInitialEvents(9))
	b.holds(9, "a@6")
	// The same stream goes on.
	b.send(conn, added(item("c", 10)), bookmark(12))
	b.holds(12, "a@6", "c@10")
	b.idle()
	b.act(func(env *sim.Env) { env.Close(conn) })
	b.watch(12)
	require.Equal(t, informer.Record{Requests: 1, Requested: wire.Unset, Streamed: 1}, *b.informer.Record())
}

func TestAWatchListMayAskForAny(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Options: informer.Options{List: informer.ByWatchList, RV: informer.RVAny}})
	b.send(b.watchList(0), endOfInitialEvents(4))
	b.holds(4)
}

// After a 410 a stream names the last resourceVersion, then none.
func TestARefusedResourceVersionMakesAWatchListAskForTheNewest(t *testing.T) {
	b := newBed(t, sim.Untimed, streaming)
	conn := b.watchList(wire.Unset)
	b.send(conn, added(item("a", 2)), endOfInitialEvents(9))
	b.fail(conn, gone)
	b.do("fire informer backoff")
	conn = b.watchList(9)
	b.send(conn, added(item("a", 2)))
	b.fail(conn, gone)
	conn = b.watchList(wire.Unset)
	b.send(conn, added(item("a", 2)))
	b.fail(conn, tooLarge)
	conn = b.watchList(wire.Unset)
	b.holds(9, "a@2")
	b.send(conn, added(item("b", 11)), endOfInitialEvents(11))
	b.holds(11, "b@11")
	// What is known now is good again.
	b.fail(conn, gone)
	b.do("fire informer backoff")
	b.watchList(11)
}

// A server that does not know the option is listed from, this time: the first list of a process at any resourceVersion
// (TestWatchList of client-go: "the reflector can fall back to old LIST/WATCH semantics").
func TestAFailedWatchListBecomesAList(t *testing.T) {
	for name, refuse := range map[string]func(b *bed, conn sim.Conn){
		"invalid":    func(b *bed, conn sim.Conn) { b.fail(conn, invalid) },
		"internal":   func(b *bed, conn sim.Conn) { b.fail(conn, &wire.Error{Code: wire.Internal}) },
		"very short": func(b *bed, conn sim.Conn) { b.act(func(env *sim.Env) { env.Close(conn) }) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, sim.Timed, streaming)
			refuse(b, b.watchList(wire.Unset))
			b.list(wire.ListRequest{Limit: 500}, listed(5, item("a", 2)))
			b.holds(5, "a@2")
			require.Equal(t, 1, b.informer.Record().Fallbacks)
			b.fail(b.watch(5), gone)
			b.do("fire informer backoff")
			refuse(b, b.watchList(5))
			b.list(wire.ListRequest{ResourceVersion: 5}, listed(7))
			b.holds(7)
		})
	}
}

// A stream that breaks among the initial events is begun again with nothing.
func TestABrokenWatchListBeginsAnew(t *testing.T) {
	b := newBed(t, sim.Untimed, streaming)
	conn := b.watchList(wire.Unset)
	b.send(conn, added(item("a", 2)))
	b.do("inject break stream")
	conn = b.watchList(wire.Unset)
	b.send(conn, added(item("b", 3)), endOfInitialEvents(9))
	b.holds(9, "b@3")
}

// 429 with Retry-After is waited for below the Reflector, ten times.
func TestARequestIsSentAgainAfterRetryAfter(t *testing.T) {
	later := &wire.Error{Code: wire.TooManyRequests, RetryAfter: 3}
	b := newBed(t, sim.Timed, listing)
	for range 10 {
		at := b.w.Now()
		b.list(wire.ListRequest{Limit: 500}, later)
		b.do("fire informer retry after")
		require.Equal(t, 3*time.Second, b.w.Now().Sub(at))
	}
	b.list(wire.ListRequest{Limit: 500}, later)
	b.do("fire informer backoff")
	// Only 429 and 5xx are worth it.
	b.list(wire.ListRequest{Limit: 500}, &wire.Error{Code: wire.BadRequest, RetryAfter: 3})
	b.do("fire informer backoff")
	b.list(wire.ListRequest{Limit: 500}, &wire.Error{Code: wire.Unavailable, RetryAfter: 3})
	b.do("fire informer retry after")
	b.list(wire.ListRequest{Limit: 500}, listed(5))

	at := b.w.Now()
	b.fail(b.watch(5), later)
	b.do("fire informer retry after")
	require.Equal(t, 3*time.Second, b.w.Now().Sub(at))
	b.fail(b.watch(5), busy)
	b.do("fire informer backoff")
	conn := b.watch(5)
	b.send(conn, bookmark(8))
	// On the stream it is an event like another: the Reflector backs off.
	b.fail(conn, later)
	b.do("fire informer backoff")
	b.watch(8)
}

func TestAWatchListBacksOffAfter429(t *testing.T) {
	b := newBed(t, sim.Untimed, streaming)
	conn := b.watchList(wire.Unset)
	b.send(conn, added(item("a", 2)))
	b.fail(conn, busy)
	b.do("fire informer backoff")
	b.send(b.watchList(wire.Unset), endOfInitialEvents(3))
	b.holds(3)
}

// From 0.8 s on, twice as long each time, up to 30 s, with a jitter of up to as much
// again. After two minutes it begins anew.
func TestTheBackoffDoublesAndIsResetAfterTwoMinutes(t *testing.T) {
	for _, jitter := range []int{0, 4} {
		b := newBed(t, sim.Timed, listing)
		b.choices["backoff jitter"] = jitter
		want := []time.Duration{800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000, 800, 1600}
		if jitter > 0 {
			// Within two minutes: 1.6 + 3.2 + 6.4 + 12.8 + 25.6 + 51.2 = 100.8 s.
			want = []time.Duration{800, 1600, 3200, 6400, 12800, 25600, 30000, 800, 1600}
		}
		for _, d := range want {
			at := b.w.Now()
			b.list(wire.ListRequest{Limit: 500}, invalid)
			b.do("fire informer backoff")
			require.Equal(t, (d+d*time.Duration(jitter)/4)*time.Millisecond, b.w.Now().Sub(at))
		}
	}
}

// A watch ends after five to ten minutes, and is resumed.
func TestAWatchEndsWithinTwiceItsTimeout(t *testing.T) {
	b := newBed(t, sim.Timed, listing)
	b.choices["watch timeout"] = 5
	b.list(wire.ListRequest{Limit: 500}, listed(5))
	b.watch(5)
	b.choices["watch timeout"] = 0
	b.do("fire informer watch timeout")
	require.Equal(t, 10*time.Minute, b.w.Now().Sub(0))
	b.watch(5)
	b.do("fire informer watch timeout")
	require.Equal(t, 15*time.Minute, b.w.Now().Sub(0))
	b.watch(5)
}

// A process that restarts has nothing: with "0" it takes what the next API
// server has, and goes back in time (kubernetes #59848).
func TestAProcessThatRestartsConnectsToTheNextServer(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Servers: []sim.NodeID{firstID, secondID}})
	b.list(wire.ListRequest{Limit: 500}, listed(5, item("a", 5)))
	b.watch(5)
	b.do("inject restart informer")
	b.holds(0)
	b.at = b.servers[1]
	b.list(wire.ListRequest{Limit: 500}, listed(3, item("a", 2)))
	b.holds(3, "a@2")
}

// The connection breaks: the informer keeps its memory, and names its
// resourceVersion to the next API server.
func TestABrokenConnectionLeadsToTheNextServer(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Servers: []sim.NodeID{firstID, secondID}})
	b.list(wire.ListRequest{Limit: 500}, listed(5, item("a", 5)))
	b.send(b.watch(5), bookmark(6))
	b.do("inject break stream")
	b.at = b.servers[1]
	b.fail(b.watch(6), gone)
	b.do("fire informer backoff")
	b.list(wire.ListRequest{ResourceVersion: 6}, listed(7))
	b.holds(7)
}

// A LIST whose connection broke is sent again a second later.
func TestALostListIsSentAgainASecondLater(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{Servers: []sim.NodeID{firstID, secondID}})
	require.Len(t, b.servers[0].inbox, 1)
	b.do("inject restart server")
	again, ok := b.find("fire informer retry after")
	require.True(t, ok)
	require.Equal(t, time.Second, b.w.Wait(again))
	b.do("fire informer retry after")
	b.at = b.servers[1]
	b.list(wire.ListRequest{Limit: 500}, listed(5))
	b.holds(5)
}

// Behind a load balancer a process begins when the API server is ready.
func TestAProcessWaitsUntilTheServerIsReady(t *testing.T) {
	b := newBed(t, sim.Untimed, informer.Config{AwaitReady: true, Servers: []sim.NodeID{firstID, secondID}})
	take[*wire.ReadyzRequest](b)
	b.idle()
	b.do("inject restart server")
	b.at = b.servers[1]
	_, conn := take[*wire.ReadyzRequest](b)
	b.act(func(env *sim.Env) { env.Send(conn, &wire.ReadyzResponse{}) })
	b.list(wire.ListRequest{Limit: 500}, listed(5))
	b.holds(5)
}
