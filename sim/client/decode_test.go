package client_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
	"github.com/watchbed/watchbed/sim/client/etcd3"
	"github.com/watchbed/watchbed/sim/wire"
)

// decoding is a client that decodes concurrently, with a watch of /a/ that is created.
func decoding(t *testing.T, change func(*client.Config)) *bench {
	cfg := config(t, newest)
	cfg.Watcher.WatchDecode = etcd3.Concurrent
	change(&cfg)
	b := newBench(t, cfg)
	b.watch("/a/", 5, "")
	b.settle()
	b.respond(0, createdAt(0, 5))
	b.settle()
	return b
}

func changed(*client.Config) {}

// KEP-6178: events are decoded in any order and sent in that in which they came.
func TestDecodedEventsAreSentInOrder(t *testing.T) {
	b := decoding(t, changed)
	b.respond(0, events(0, putAt("/a/x", 6), putAt("/a/y", 7), putAt("/a/z", 8)))
	b.settle("run client decode")
	b.do("run client decode /a/ 2")
	b.do("run client decode /a/ 1")
	b.settle("run client decode")
	require.Empty(t, b.cache.take())
	b.do("run client decode /a/ 0")
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=6 /a/x=v6", "0 ADDED RV=7 /a/y=v7", "0 ADDED RV=8 /a/z=v8"}, b.cache.take())
}

// Progress has nothing to decode, and waits all the same.
func TestProgressTakesASlot(t *testing.T) {
	b := decoding(t, changed)
	b.respond(0, events(0, putAt("/a/x", 6)), progress(0, 7))
	b.settle("run client decode /a/ 0")
	require.Empty(t, b.cache.take())
	b.do("run client decode /a/ 0")
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=6 /a/x=v6", "0 BOOKMARK RV=7"}, b.cache.take())
}

// Ten are decoded, the others wait in incomingEventChan, and the next one takes the place of the
// first that is sent.
func TestTenEventsAreDecodedAtOnce(t *testing.T) {
	b := decoding(t, func(cfg *client.Config) { cfg.Watcher.IncomingBufSize = 1 })
	var all []wire.Event
	for i := range 13 {
		all = append(all, putAt(fmt.Sprintf("/a/%02d", i), int64(6+i)))
	}
	b.respond(0, events(0, all...))
	b.settle("run client decode")
	decodes := func() (n int) {
		for i := range 20 {
			if b.enabled(fmt.Sprintf("run client decode /a/ %d", i)) {
				n++
			}
		}
		return n
	}
	require.Equal(t, 10, decodes())
	require.NotZero(t, b.count("ten events are decoded, and the next one waits"))
	b.do("run client decode /a/ 5")
	require.Equal(t, 9, decodes(), "the first slot is not empty")
	b.do("run client decode /a/ 0")
	require.Equal(t, 9, decodes(), "the next one has taken its place")
	b.settle()
	require.Len(t, b.cache.take(), 13)
}

// The collector waits for room with what it has, while decodes go on.
func TestAFullResultChanHoldsUpTheCollector(t *testing.T) {
	b := decoding(t, func(cfg *client.Config) { cfg.Watcher.OutgoingBufSize = 1 })
	b.respond(0, events(0, putAt("/a/x", 6), putAt("/a/y", 7), putAt("/a/z", 8)))
	b.settle(toCache)
	require.Empty(t, b.cache.take())
	require.False(t, b.enabled("run client decode"))
	b.do(toCache)
	require.Equal(t, []string{"0 ADDED RV=6 /a/x=v6"}, b.cache.take())
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=7 /a/y=v7", "0 ADDED RV=8 /a/z=v8"}, b.cache.take())
}

// All before the slot of an error are sent, and nothing behind it.
func TestAnObjectThatCannotBeDecodedEndsTheWatchInItsPlace(t *testing.T) {
	for _, mode := range []etcd3.WatchDecode{etcd3.Serial, etcd3.Concurrent} {
		b := decoding(t, func(cfg *client.Config) { cfg.Watcher.WatchDecode, cfg.Watcher.DecodeFailures = mode, 1 })
		b.respond(0, events(0, putAt("/a/x", 6), putAt("/a/y", 7), putAt("/a/z", 8)))
		b.settle("run client decode", "run client processEvents")
		b.choices = []int{0, 1}
		b.settle()
		require.Equal(t, []string{"0 ADDED RV=6 /a/x=v6", "0 ERROR RV=0 internal error", "0 connection closed"}, b.cache.take())
		require.EqualValues(t, 1, b.count("an object cannot be decoded"))
	}
}

// What is behind the error is not sent either while the error waits for room.
func TestTheErrorOfADecodeWaitsForRoom(t *testing.T) {
	b := decoding(t, func(cfg *client.Config) { cfg.Watcher.OutgoingBufSize, cfg.Watcher.DecodeFailures = 1, 1 })
	b.respond(0, events(0, putAt("/a/x", 6), putAt("/a/y", 7), putAt("/a/z", 8)))
	b.settle(toCache, "run client decode")
	b.choices = []int{0, 1}
	b.settle(toCache)
	b.settle()
	require.Equal(t, []string{"0 ADDED RV=6 /a/x=v6", "0 ERROR RV=0 internal error", "0 connection closed"}, b.cache.take())
}

// Errors of etcd's watch go past the slots.
func TestAnErrorOfTheWatchOvertakesDecodes(t *testing.T) {
	b := decoding(t, changed)
	b.respond(0, events(0, putAt("/a/x", 6)), &wire.WatchResponse{CompactRevision: 9})
	b.settle("run client decode")
	require.Equal(t, []string{"0 ERROR RV=0 compacted", "0 connection closed"}, b.cache.take())
	require.NotZero(t, b.count("an error overtakes events that are decoded"))
	require.False(t, b.enabled("run client decode"), "the context is cancelled")
	require.Zero(t, b.client.Holds(b.w).Queued)
}

// script answers a watch with two events and progress.
type script struct{ actor }

func (*script) Start(*sim.Env) {}

func (*script) Receive(env *sim.Env, m *sim.Message) {
	if _, creates := m.Payload.(*wire.WatchCreateRequest); creates {
		env.Send(m.Conn, createdAt(0, 5))
		env.Send(m.Conn, events(0, putAt("/a/x", 6), putAt("/a/y", 7)))
		env.Send(m.Conn, progress(0, 7))
	}
}

// clocked watches, and notes when it is sent something.
type clocked struct {
	actor
	told []string
}

func (*clocked) Start(env *sim.Env) {
	env.Send(env.Open(clientID), &wire.WatchStart{Prefix: "/a/", Revision: 5, ProgressNotify: true})
}

func (c *clocked) Receive(env *sim.Env, m *sim.Message) {
	c.told = append(c.told, fmt.Sprint(env.Now().Sub(0), " ", m.Payload.(*wire.WatchEvent).Type))
}

// shorter takes the first choice, and then the last one.
type shorter struct{ asked int }

func (*shorter) Pick(*sim.World, []sim.Action) int { return 0 }

func (c *shorter) Choose(_ *sim.World, n int, what string) int {
	if what != "decode time" {
		return 0
	}
	c.asked++
	return min(c.asked-1, 1) * (n - 1)
}

// An object takes between five eighths of the time and all of it, progress none.
func TestDecodesTakeTime(t *testing.T) {
	for mode, want := range map[etcd3.WatchDecode][]string{
		etcd3.Serial:     {"80ms ADDED", "130ms ADDED", "130ms BOOKMARK"},
		etcd3.Concurrent: {"80ms ADDED", "80ms ADDED", "80ms BOOKMARK"},
	} {
		cfg := config(t, newest)
		cfg.Watcher.WatchDecode, cfg.Watcher.DecodeTime = mode, 80*time.Millisecond
		w, c := sim.NewWorld(sim.Options{Mode: sim.Timed}), &clocked{}
		w.Add("etcd", &script{})
		w.Add("client", client.New(cfg))
		w.Add("cache", c)
		choices := &shorter{}
		w.Start(choices)
		for w.Step(choices) {
		}
		require.Equal(t, want, c.told)
	}
}

// An object that can never be decoded ends watches at it, and takes lists and gets with it.
func TestAnUndecodableObjectIsInNoAnswer(t *testing.T) {
	for _, mode := range []etcd3.WatchDecode{etcd3.Serial, etcd3.Concurrent} {
		b := decoding(t, func(cfg *client.Config) { cfg.Watcher.WatchDecode, cfg.Watcher.Undecodable = mode, "v7" })
		b.respond(0, events(0, putAt("/a/x", 6), putAt("/a/y", 7), putAt("/a/z", 8)))
		b.settle()
		require.Equal(t, []string{"0 ADDED RV=6 /a/x=v6", "0 ERROR RV=0 internal error", "0 connection closed"}, b.cache.take())
	}
}

func TestAnUndecodableObjectIsReadByNoList(t *testing.T) {
	cfg := config(t, newest)
	cfg.Watcher.Undecodable = "bad"
	b := newBench(t, cfg)
	b.call(&wire.RangeRequest{Key: "/a/", RangeEnd: "/a0", Limit: 5})
	b.settle()
	b.respond(0, &wire.RangeResponse{Revision: 7, Kvs: []*wire.KeyValue{{Key: "/a/x", Value: "good"}, {Key: "/a/y", Value: "bad"}}})
	b.settle()
	require.Equal(t, []string{"0 error: internal error"}, b.cache.take())
}
