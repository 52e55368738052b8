package etcd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// The sizes are those that etcdserverpb computes for the same messages.
func TestSizesAreThoseOfProtobuf(t *testing.T) {
	for n, want := range map[int][2]int{1000: {2068, 3099}, 100_000: {200_074, 300_108}, 300_000: {600_074, 900_108}} {
		item := func(rev int64) *wire.KeyValue {
			return &wire.KeyValue{Key: "/a", Value: strings.Repeat("x", n), CreateRevision: 2, ModRevision: rev, Version: rev - 1}
		}
		r := &wire.WatchResponse{Revision: 3, WatchID: 7, Events: []wire.Event{{Kv: item(2)}, {Kv: item(3)}}}
		size := func() int {
			sum := responseSize(r)
			for i := range r.Events {
				sum += eventSize(&r.Events[i])
			}
			return sum
		}
		require.Equal(t, want[0], size())
		r.Events = append(r.Events, wire.Event{Type: wire.Delete, Kv: &wire.KeyValue{Key: "/a", ModRevision: 4}, PrevKv: item(3)})
		r.Fragment = true
		require.Equal(t, want[1], size())
	}
}

func TestFragmentsAreSmallerThanTheLimit(t *testing.T) {
	r := &wire.WatchResponse{Revision: 3}
	for rev := int64(2); rev < 4; rev++ {
		r.Events = append(r.Events, wire.Event{Kv: &wire.KeyValue{Key: "/a", Value: strings.Repeat("x", 300<<10), ModRevision: rev}})
	}
	size := responseSize(r)
	for i := range r.Events {
		size += eventSize(&r.Events[i])
	}
	for limit, want := range map[int]int{size: 2, size + 1: 1} {
		w := sim.NewWorld(sim.Options{})
		s := New(Config{Options: Options{Amounts: Amounts{MaxRequestBytes: limit - grpcOverheadBytes}}, InitialRevision: 1})
		w.Add("etcd", &fragmenting{Server: s, r: r})
		w.Start(nil)
		require.Len(t, w.Node(1).(*fragmenting).out.All(), want, "size %d, limit %d", size, limit)
	}
}

// fragmenting splits a response when it starts.
type fragmenting struct {
	*Server
	r   *wire.WatchResponse
	out fifo.Queue[*wire.WatchResponse]
}

func (f *fragmenting) Start(env *sim.Env) { f.fragments(env, &f.out, f.r) }

// A fingerprint is kept up to date as the backend grows; a compaction rewrites
// the backend.
func TestFingerprintFollowsCompactions(t *testing.T) {
	s := New(Config{InitialRevision: 1}).store
	for range 5 {
		s.put("/a", "1")
		s.end()
		s.fingerprint(sim.NewDigest)
	}
	require.Zero(t, s.compact(4))
	require.True(t, s.compactBatch(&compactionJob{rev: 4}, 1000, Kept))
	require.Len(t, s.backend, 3)
	fresh := s
	fresh.digest, fresh.digested = sim.NewDigest, 0
	require.Equal(t, fresh.fingerprint(sim.NewDigest), s.fingerprint(sim.NewDigest))
}

// syncing measures syncWatchers for ten watchers of one stream, with 20 events
// for each.
type syncing struct {
	*Server
	b *testing.B
}

func (y *syncing) Start(env *sim.Env) {
	for range 20 {
		y.store.put("/a", "1")
		y.store.end()
	}
	sws := y.newStreamSlot()
	for id := range int64(10) {
		sws.watchers = append(sws.watchers, y.watch(env, sws, &wire.WatchCreateRequest{Key: "/a"}, id, 2))
	}
	y.b.ReportAllocs()
	for y.b.Loop() {
		for i := range y.watchers {
			y.watchers[i].minRev = 2
			y.setGroup(env, int32(i), unsynced)
		}
		y.syncWatchers(env)
		sws.ch.Clear()
		y.eventArena.rewind()
	}
}

func BenchmarkSyncWatchers(b *testing.B) {
	cfg, err := DefaultConfig("3.7.3")
	require.NoError(b, err)
	w := sim.NewWorld(sim.Options{})
	w.Add("etcd", &syncing{New(cfg), b})
	w.Start(firstChoice{})
}

type firstChoice struct{}

func (firstChoice) Pick(*sim.World, []sim.Action) int  { return 0 }
func (firstChoice) Choose(*sim.World, int, string) int { return 0 }
