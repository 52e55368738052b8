package cache_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

func TestConsistentListServedAtOnce(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 3), kv("b", "1", 5))
	b.ask(consistentList())
	b.settle()
	req := b.answer(&wire.RangeResponse{Revision: 5})
	require.Equal(t, &wire.RangeRequest{Key: prefix}, req, "the current revision is that of a range on the bare prefix")
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.EqualValues(t, 5, resp.ResourceVersion)
	require.Len(t, resp.Items, 2)
	require.Equal(t, wire.FromCache, resp.Origin)
	require.Equal(t, 1, b.covered("read served without waiting"))
	require.Zero(t, count[*wire.ProgressRequest](b.up))
}

func TestConsistentListWaits(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.ask(consistentList())
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 8})
	require.Equal(t, 1, b.cache.Waiting())

	// An event that is not enough wakes the read, which goes back to wait.
	b.send(added("a", "1", 7))
	b.settle()
	require.Equal(t, 1, b.covered("read woken and still too early"))
	require.Equal(t, 1, b.cache.Waiting())

	// Between the broadcast and the read's turn another event may come in: the
	// answer is from then.
	b.send(added("b", "1", 8), added("c", "1", 9))
	b.do("deliver up>cache")
	require.True(t, b.can("run cache read 0: LIST"))
	b.do("run cache hand over")
	b.do("deliver up>cache")
	b.do("run cache read 0")
	require.True(t, b.can("deliver cache>down down/"), "the answer is the client's doing")
	b.settle()
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.EqualValues(t, 9, resp.ResourceVersion)
	require.Len(t, resp.Items, 3)
	require.Zero(t, b.cache.Waiting())
	require.False(t, b.can("timeout of read"), "the timeout is off")
}

func TestProgressNotificationReleasesTheRead(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 5))
	b.ask(consistentList())
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 8})
	b.send(bookmark(8))
	b.settle()
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.EqualValues(t, 8, resp.ResourceVersion)
	require.Len(t, resp.Items, 1)
}

func TestTimeout(t *testing.T) {
	for _, tc := range []struct {
		onTimeout string
		situation string
		check     func(*bed)
	}{
		{"reject", "consistent list rejected after the timeout", func(b *bed) {
			err, _ := take[*wire.Error](b, b.down)
			require.Equal(b.t, wire.TooLargeResourceVersion, err.Code)
		}},
		{"throttle", "consistent list throttled after the timeout", func(b *bed) {
			err, _ := take[*wire.Error](b, b.down)
			require.Equal(b.t, wire.TooManyRequests, err.Code)
		}},
		{"fallback", "consistent list falls back to etcd after the timeout", func(b *bed) {
			req := b.answer(&wire.RangeResponse{Revision: 12, Kvs: []*wire.KeyValue{kv("a", "1", 12)}, Count: 1})
			require.Equal(b.t, &wire.RangeRequest{Key: prefix, RangeEnd: "/registry/pods0"}, req)
			resp, _ := take[*wire.ListResponse](b, b.down)
			require.EqualValues(b.t, 12, resp.ResourceVersion)
			require.Equal(b.t, wire.FromFallback, resp.Origin)
		}},
	} {
		t.Run(tc.onTimeout, func(t *testing.T) {
			o, err := cache.Options{}.With("on-timeout", tc.onTimeout)
			require.NoError(t, err)
			b := newBed(t, config(o))
			b.listed(5)
			b.ask(consistentList())
			b.settle()
			b.answer(&wire.RangeResponse{Revision: 8})
			b.do("fire cache timeout of read 0: LIST")
			b.settle()
			require.Equal(t, 1, b.covered(tc.situation))
			require.Zero(t, b.cache.Waiting())
			tc.check(b)
		})
	}
}

// TestReadThatIsFreshAtItsTimeoutIsServed: the timeout only wakes the read, which
// looks at the cache once more.
func TestReadThatIsFreshAtItsTimeoutIsServed(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.ask(consistentList())
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 8})
	b.do("fire cache timeout of read 0")
	b.send(bookmark(8))
	b.do("deliver up>cache")
	b.settle()
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.EqualValues(t, 8, resp.ResourceVersion)
	require.Equal(t, 1, b.covered("read served although its time was up"))
}

func TestNotOlderThanTimesOutInEveryDesign(t *testing.T) {
	for _, d := range cache.Designs() {
		if d.Name == "direct" {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			b := newBed(t, config(d.Options()))
			b.listed(5)
			b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 8, Match: wire.MatchNotOlderThan})
			b.do("fire cache timeout")
			b.settle()
			err, _ := take[*wire.Error](b, b.down)
			require.Equal(t, wire.TooLargeResourceVersion, err.Code)
			require.Equal(t, 1, b.covered("read that is not consistent timed out"))
		})
	}
}

func TestStaleDesign(t *testing.T) {
	b := newBed(t, config(options(t, "stale")))
	b.listed(5, kv("a", "1", 4), kv("b", "1", 5))
	req := consistentList()
	req.Limit = 1
	b.ask(req)
	b.settle()
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.EqualValues(t, 5, resp.ResourceVersion)
	require.Len(t, resp.Items, 2, "like resourceVersion 0: the limit is ignored")
	require.Empty(t, b.up.inbox[count[*wire.WatchStart](b.up):], "etcd is not asked")
}

func TestDirectDesign(t *testing.T) {
	b := newBed(t, config(options(t, "direct")))
	b.listed(5)
	for _, p := range []sim.Payload{consistentList(), &wire.ListRequest{Prefix: prefix}, &wire.GetRequest{Key: prefix + "a"}} {
		b.ask(p)
		b.settle()
		b.answer(&wire.RangeResponse{Revision: 9, Kvs: []*wire.KeyValue{kv("a", "1", 9)}, Count: 1})
	}
	for range 2 {
		resp, _ := take[*wire.ListResponse](b, b.down)
		require.Equal(t, wire.FromEtcd, resp.Origin)
		require.EqualValues(t, 9, resp.ResourceVersion)
	}
	got, _ := take[*wire.GetResponse](b, b.down)
	require.Equal(t, wire.FromEtcd, got.Origin)
	require.NotNil(t, got.Item)
}

func TestNotReady(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.settle()

	b.ask(consistentList())
	b.settle()
	err, _ := take[*wire.Error](b, b.down)
	require.Equal(t, wire.TooManyRequests, err.Code)
	require.Equal(t, 1, b.covered("list refused while not ready"))
	require.Contains(t, err.Message, "retry after 1 s")

	list, conn := take[*wire.RangeRequest](b, b.up)
	require.NotNil(t, list)

	limited := consistentList()
	limited.Limit = 3
	b.ask(limited)
	b.settle()
	require.EqualValues(t, 3, b.answer(&wire.RangeResponse{Revision: 9}).Limit)
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.Equal(t, wire.FromEtcd, resp.Origin)

	b.ask(&wire.GetRequest{Key: prefix + "a", ResourceVersion: 4})
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 9})
	got, _ := take[*wire.GetResponse](b, b.down)
	require.Nil(t, got.Item)

	b.ask(&wire.WatchRequest{Prefix: prefix})
	b.settle()
	failed, _ := take[*wire.WatchEvent](b, b.down)
	require.Equal(t, wire.Failed, failed.Type)
	require.Equal(t, wire.TooManyRequests, failed.Err.Code)

	b.act(b.up, func(env *sim.Env) { env.Send(conn, &wire.RangeResponse{Revision: 10}) })
	b.settle()
	require.True(t, b.cache.Ready())
}

// A cache that is not ready lets a list with a limit through to etcd as it is:
// not older than X is not exactly X.
func TestNotOlderThanWhileNotReady(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.do("deliver cache>up")
	take[*wire.RangeRequest](b, b.up)
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 4, Match: wire.MatchNotOlderThan, Limit: 2})
	b.settle()
	require.Zero(t, b.answer(&wire.RangeResponse{Revision: 9}).Revision)
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.EqualValues(t, 9, resp.ResourceVersion)
}

func TestEtcdRefusals(t *testing.T) {
	for _, tc := range []struct {
		name string
		req  sim.Payload
		say  sim.Payload
		want wire.Code
	}{
		{"current revision", consistentList(), &wire.Error{Code: wire.Unavailable}, wire.Unavailable},
		{"exact, compacted", &wire.ListRequest{Prefix: prefix, ResourceVersion: 2, Match: wire.MatchExact},
			&wire.Error{Code: wire.ErrCompacted}, wire.ErrCompacted},
		{"exact, future", &wire.ListRequest{Prefix: prefix, ResourceVersion: 9, Match: wire.MatchExact},
			&wire.Error{Code: wire.ErrFutureRev}, wire.TooLargeResourceVersion},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBed(t, config(options(t, "kep-2340")))
			b.listed(5)
			b.ask(tc.req)
			b.settle()
			b.answer(tc.say)
			err, _ := take[*wire.Error](b, b.down)
			require.Equal(t, tc.want, err.Code)
			require.Equal(t, 1, b.covered("etcd refused a read"))
		})
	}
}

func TestDelegatedReadBelowItsMinimum(t *testing.T) {
	b := newBed(t, config(options(t, "direct")))
	b.listed(5)
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 9})
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 8})
	err, _ := take[*wire.Error](b, b.down)
	require.Equal(t, wire.TooLargeResourceVersion, err.Code)
	require.Equal(t, 1, b.covered("etcd older than the resourceVersion asked for"))
}

func TestConnectionLostDuringARead(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.ask(consistentList())
	b.settle()
	_, conn := take[*wire.RangeRequest](b, b.up)
	b.act(b.up, func(env *sim.Env) { env.Send(conn, &sim.Hangup{Broken: true}) })
	b.settle()
	err, _ := take[*wire.Error](b, b.down)
	require.Equal(t, wire.Unavailable, err.Code)
}

func TestGet(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 4))

	b.ask(&wire.GetRequest{Key: prefix + "a"})
	b.settle()
	got, _ := take[*wire.GetResponse](b, b.down)
	require.Equal(t, "1", got.Item.Value)
	require.Equal(t, wire.FromCache, got.Origin)

	b.ask(&wire.GetRequest{Key: prefix + "b", ResourceVersion: 6})
	b.settle()
	require.Equal(t, 1, b.cache.Waiting())
	b.send(added("b", "2", 6))
	b.settle()
	got, _ = take[*wire.GetResponse](b, b.down)
	require.Equal(t, "2", got.Item.Value)

	b.ask(&wire.GetRequest{Key: prefix + "b", ResourceVersion: wire.Unset})
	b.settle()
	req := b.answer(&wire.RangeResponse{Revision: 9})
	require.Equal(t, &wire.RangeRequest{Key: prefix + "b"}, req)
	got, _ = take[*wire.GetResponse](b, b.down)
	require.Nil(t, got.Item)
	require.Equal(t, wire.FromEtcd, got.Origin)
}

// A list of a narrower prefix holds that prefix only, and never a sibling that
// begins alike (#125584).
func TestListOfANamespace(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("ns/a", "1", 2), kv("ns/b", "1", 3), kv("ns2/a", "1", 4))
	b.ask(&wire.ListRequest{Prefix: prefix + "ns"})
	b.settle()
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.Len(t, resp.Items, 2)
}

// The story of a run says what a person would miss otherwise.
func TestNotes(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.w.SetObserver(b)
	b.listed(5)
	b.ask(&wire.GetRequest{Key: prefix + "a", ResourceVersion: 8})
	b.do("fire cache timeout of read 0: GET")
	b.settle()
	b.send(bookmark(4))
	b.settle()
	require.Equal(t, []string{
		"has listed 0 objects at resourceVersion 5",
		"watches from resourceVersion 5 on",
		"down's GET /registry/pods/a RV=8 waits for resourceVersion 8; the cache is at 5",
		"gives up on down's GET /registry/pods/a RV=8: it is still at resourceVersion 5, not at 8",
		"takes progress 4: etcd says that all events up to revision 4 have been sent",
		"its resourceVersion goes back from 5 to 4",
	}, b.notes)
}
