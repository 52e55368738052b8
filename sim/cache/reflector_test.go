package cache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

func TestListAndWatch(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	require.False(t, b.cache.Ready())
	start := b.listed(5, kv("a", "1", 3))
	require.Equal(t, &wire.WatchStart{Prefix: prefix, Revision: 5, ProgressNotify: true, Metadata: "source=cache"}, start)
	require.True(t, b.cache.Ready())
	require.EqualValues(t, 5, b.cache.ResourceVersion())

	a := kv("a", "1", 3)
	a2 := modified(a, "2", 6)
	b.send(a2, added("b", "1", 7))
	b.settle()
	require.Equal(t, []string{"a=2", "b=1"}, b.keys())
	require.EqualValues(t, 7, b.cache.ResourceVersion())

	b.send(deleted(a2.Item, 9), bookmark(12))
	b.settle()
	require.Equal(t, []string{"b=1"}, b.keys())
	require.EqualValues(t, 12, b.cache.ResourceVersion())

	// Upstream believes a bookmark that goes back.
	b.send(bookmark(11))
	b.settle()
	require.EqualValues(t, 11, b.cache.ResourceVersion())
	require.Equal(t, 1, b.covered("resourceVersion goes back in time"))
}

func TestPages(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.ListPageSize = 2
	b := newBed(t, cfg)
	b.settle()
	first := b.answer(&wire.RangeResponse{Revision: 5, Kvs: []*wire.KeyValue{kv("a", "1", 1), kv("b", "1", 2)}, More: true, Count: 3})
	require.Equal(t, &wire.RangeRequest{Key: prefix, RangeEnd: "/registry/pods0", Limit: 2}, first)
	require.False(t, b.cache.Ready())
	second := b.answer(&wire.RangeResponse{Revision: 9, Kvs: []*wire.KeyValue{kv("c", "1", 3)}, Count: 1})
	require.Equal(t, &wire.RangeRequest{Key: prefix + "b\x00", RangeEnd: "/registry/pods0", Limit: 2, Revision: 5}, second)
	require.Equal(t, []string{"a=1", "b=1", "c=1"}, b.keys())
	require.EqualValues(t, 5, b.cache.ResourceVersion(), "the revision of the first page")
}

func TestCompactionBetweenPages(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.ListPageSize = 1
	b := newBed(t, cfg)
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 5, Kvs: []*wire.KeyValue{kv("a", "1", 1)}, More: true, Count: 2})
	b.answer(&wire.Error{Code: wire.ErrCompacted})
	whole := b.answer(&wire.RangeResponse{Revision: 9, Kvs: []*wire.KeyValue{kv("c", "1", 9)}, Count: 1})
	require.Equal(t, &wire.RangeRequest{Key: prefix, RangeEnd: "/registry/pods0"}, whole)
	require.Equal(t, []string{"c=1"}, b.keys())
	require.EqualValues(t, 9, b.cache.ResourceVersion())
	require.Equal(t, 1, b.covered("compaction between the pages of a list"))
}

func TestListFails(t *testing.T) {
	for name, say := range map[string]sim.Payload{
		"refused":         &wire.Error{Code: wire.Unavailable},
		"lost":            &sim.Hangup{Broken: true},
		"more of nothing": &wire.RangeResponse{Revision: 5, More: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t, config(options(t, "kep-2340")))
			b.settle()
			b.answer(say)
			require.False(t, b.cache.Ready())
			require.Equal(t, 1, b.covered("list failed"))
			b.do("fire cache list and watch again")
			b.listed(5)
			require.True(t, b.cache.Ready())
		})
	}
}

// Watchers live through the gap and end when the next ListAndWatch begins; reads
// that wait go on waiting, and are served by the Replace.
func TestRelistAfterCompaction(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5, kv("a", "1", 3))
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.ask(consistentList())
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 20})
	require.Equal(t, 1, b.cache.Waiting())

	b.send(&wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: wire.ErrCompacted}})
	b.settle()
	require.False(t, b.cache.Ready())
	require.Equal(t, 1, b.covered("watch ended by compaction"))
	require.Equal(t, 1, b.covered("not ready while a read waits"))
	require.Equal(t, 2, count[*sim.Hangup](b.up)+1, "the cache stopped its watch")
	require.Zero(t, count[*sim.Hangup](b.down), "the watcher is still there")

	b.do("fire cache list and watch again")
	b.settle()
	require.Equal(t, 1, count[*sim.Hangup](b.down))
	require.Equal(t, 1, b.covered("watch ended by a relist"))
	b.listed(30, kv("b", "1", 25))
	require.Equal(t, []string{"b=1"}, b.keys())
	resp, _ := take[*wire.ListResponse](b, b.down)
	require.EqualValues(t, 30, resp.ResourceVersion)
	require.Equal(t, "b", resp.Items[0].Key[len(prefix):])

	// History from before is gone.
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 29})
	b.settle()
	failed, _ := take[*wire.WatchEvent](b, b.down)
	require.Equal(t, wire.ErrCompacted, failed.Err.Code)
}

func TestWatchResumesAfterInternalError(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.send(added("a", "1", 7), &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: wire.Unavailable}})
	b.settle()
	start, _ := take[*wire.WatchStart](b, b.up)
	require.EqualValues(t, 7, start.Revision)
	require.True(t, b.cache.Ready())
	require.Equal(t, 1, b.covered("watch started again after an internal error"))
}

func TestWatchResumesAfterItCloses(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.send(added("a", "1", 7))
	b.settle()
	b.act(b.up, func(env *sim.Env) { env.Close(b.feed) })
	b.settle()
	start, _ := take[*wire.WatchStart](b, b.up)
	require.EqualValues(t, 7, start.Revision)
	require.True(t, b.cache.Ready())
}

// client-go takes a watch that ends within a second, without an event, for one
// that does not work.
func TestVeryShortWatch(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.act(b.up, func(env *sim.Env) { env.Close(b.feed) })
	b.settle()
	require.False(t, b.cache.Ready())
	require.Equal(t, 1, b.covered("watch closed at once"))

	b.do("fire cache list and watch again")
	b.listed(5)
	b.choices["elapsed"] = 1
	b.act(b.up, func(env *sim.Env) { env.Close(b.feed) })
	b.settle()
	require.True(t, b.cache.Ready())
	require.Equal(t, 1, b.covered("watch started again after it closed"))
}

// Internal errors are retried for 30 s, counted from the first one after a quiet
// minute; then the reflector lists again, one second later.
func TestInternalErrorsForTooLong(t *testing.T) {
	b := timedBed(t, config(options(t, "kep-2340")))
	var starts []sim.Time
	var conn sim.Conn
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		switch m.Payload.(type) {
		case *wire.RangeRequest:
			env.Send(m.Conn, &wire.RangeResponse{Revision: 5})
		case *wire.WatchStart:
			starts = append(starts, env.Now())
			conn = m.Conn
		}
		return true
	}
	fail := func(env *sim.Env) {
		env.Send(conn, &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: wire.Unavailable}})
	}
	for _, at := range []time.Duration{10 * time.Second, 75 * time.Second, 105 * time.Second, 106 * time.Second} {
		b.up.plan = append(b.up.plan, planned{at, fail})
	}
	b.run(110 * time.Second)
	require.Equal(t, []sim.Time{0, seconds(10), seconds(75), seconds(105), seconds(107)}, starts)
}

// A new list makes internal errors new ones too.
func TestInternalErrorsOfAnotherWatch(t *testing.T) {
	b := timedBed(t, config(options(t, "kep-2340")))
	lists := 0
	b.up.react = func(env *sim.Env, m *sim.Message) bool {
		switch m.Payload.(type) {
		case *wire.RangeRequest:
			lists++
			env.Send(m.Conn, &wire.RangeResponse{Revision: 5})
		case *wire.WatchStart:
			b.feed = m.Conn
		}
		return true
	}
	fail := func(code wire.Code) func(*sim.Env) {
		return func(env *sim.Env) {
			env.Send(b.feed, &wire.WatchEvent{Type: wire.Failed, Err: &wire.Error{Code: code}})
		}
	}
	b.up.plan = []planned{
		{10 * time.Second, fail(wire.Unavailable)}, {20 * time.Second, fail(wire.ErrCompacted)},
		{45 * time.Second, fail(wire.Unavailable)},
	}
	b.run(50 * time.Second)
	require.Equal(t, 2, lists)
}

func seconds(s float64) sim.Time { return sim.Time(s * float64(time.Second)) }

// A full channel blocks the reflector: it takes nothing from the watch.
func TestIngestionBlocks(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.IncomingCapacity = 2
	b := newBed(t, cfg)
	b.listed(5)
	b.send(added("a", "1", 6), added("b", "1", 7), added("c", "1", 8))
	b.do("deliver up>cache")
	require.Equal(t, []string{"a=1"}, b.keys(), "lists see an event before the dispatcher has it")
	require.False(t, b.can("deliver up>cache"), "one event at a time")
	b.do("run cache hand over")
	b.do("deliver up>cache")
	b.do("run cache hand over")
	require.Equal(t, 1, b.covered("full channel blocks ingestion"))
	require.False(t, b.can("deliver up>cache"))
	require.EqualValues(t, 7, b.cache.ResourceVersion())
	b.do("run cache dispatchEvents")
	b.do("run cache hand over")
	b.do("deliver up>cache")
	require.EqualValues(t, 8, b.cache.ResourceVersion())
	b.settle()
}

func TestDeletionOfAnUnknownObject(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	b.listed(5)
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.settle()
	b.send(deleted(kv("a", "1", 3), 6))
	b.settle()
	require.Equal(t, 1, b.covered("deletion of an object that it does not have"))
	require.EqualValues(t, 6, b.cache.ResourceVersion())
	require.Zero(t, count[*wire.WatchEvent](b.down), "a watcher never saw it begin")
}

// What a watcher is sent follows from the cache's own store.
func TestEventsAreConvertedFromTheStore(t *testing.T) {
	b := newBed(t, config(options(t, "kep-2340")))
	a := kv("a", "1", 3)
	b.listed(5, a)
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.settle()
	strange := added("a", "2", 6) // the object is there already
	b.send(strange, &wire.WatchEvent{Type: wire.Modified, ResourceVersion: 7, Item: kv("b", "1", 7)},
		deleted(kv("a", "other", 2), 8))
	b.settle()
	e, _ := take[*wire.WatchEvent](b, b.down)
	require.Equal(t, &wire.WatchEvent{Type: wire.Modified, ResourceVersion: 6, Item: strange.Item, Prev: a}, e)
	e, _ = take[*wire.WatchEvent](b, b.down)
	require.Equal(t, wire.Added, e.Type)
	e, _ = take[*wire.WatchEvent](b, b.down)
	require.Equal(t, &wire.WatchEvent{Type: wire.Deleted, ResourceVersion: 8, Item: strange.Item, Prev: strange.Item}, e)
}

func TestRestart(t *testing.T) {
	b := &bed{t: t, up: &puppet{manual: true}, down: &puppet{manual: true}, choices: map[string]int{}}
	b.cache = cache.New(config(options(t, "kep-2340")))
	b.w = sim.NewWorld(sim.Options{})
	b.w.Add("up", b.up)
	b.w.Add("cache", b.cache)
	b.w.Add("down", b.down)
	b.w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{cacheID}, Label: "cache"}, sim.Budget{Times: 1})
	b.w.Start(b)
	for !b.cache.Ready() {
		b.do("deliver cache>up")
		if count[*wire.RangeRequest](b.up) > 0 {
			_, conn := take[*wire.RangeRequest](b, b.up)
			b.act(b.up, func(env *sim.Env) {
				env.Send(conn, &wire.RangeResponse{Revision: 5, Kvs: []*wire.KeyValue{kv("a", "1", 5)}})
			})
			b.do("deliver up>cache")
		}
	}
	b.ask(&wire.WatchRequest{Prefix: prefix, ResourceVersion: 5})
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 9})
	b.do("inject restart cache")
	require.False(t, b.cache.Ready())
	require.Zero(t, b.cache.Waiting())
	require.Zero(t, b.cache.ResourceVersion())
	require.Empty(t, b.keys())
	b.settle()
	require.Equal(t, 2, count[*sim.Hangup](b.down), "both clients hear of it")
	b.listed(7)
	require.True(t, b.cache.Ready())
	b.ask(&wire.ListRequest{Prefix: prefix, ResourceVersion: 10})
	require.True(t, b.can("fire cache progress request period"))
	b.send(bookmark(10))
	b.settle()
	require.Zero(t, b.cache.Waiting())
}

// Clones in the middle of a list go on by themselves.
func TestCloneWhileListing(t *testing.T) {
	cfg := config(options(t, "kep-2340"))
	cfg.ListPageSize = 2
	b := newBed(t, cfg)
	b.settle()
	b.answer(&wire.RangeResponse{Revision: 5, Kvs: []*wire.KeyValue{kv("a", "1", 1), kv("b", "1", 2)}, More: true, Count: 3})
	other := b.clone()
	b.answer(&wire.Error{Code: wire.ErrCompacted})
	other.answer(&wire.RangeResponse{Revision: 5, Kvs: []*wire.KeyValue{kv("c", "1", 3)}, Count: 1})
	require.Equal(t, []string{"a=1", "b=1", "c=1"}, other.keys())
	b.answer(&wire.RangeResponse{Revision: 9})
	require.Empty(t, b.keys())
}
