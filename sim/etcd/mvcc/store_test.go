package mvcc

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/wire"
)

func newStore() *WatchableStore {
	o := Options{KeepsTombstone: true}
	o.SetDefaults()
	s := &WatchableStore{}
	s.Reset(o, &Contents{Revision: 1})
	return s
}

// A fingerprint is kept up to date as the backend grows; a compaction rewrites
// the backend.
func TestFingerprintFollowsCompactions(t *testing.T) {
	s := &newStore().Store
	for range 5 {
		s.Put("/a", "1", 0)
		s.end()
		s.fingerprint(sim.NewDigest)
	}
	require.Zero(t, s.compact(4))
	require.True(t, s.compactBatch(&compactionJob{rev: 4}))
	require.Len(t, s.backend, 3)
	fresh := *s
	fresh.digest, fresh.digested = sim.NewDigest, 0
	require.Equal(t, fresh.fingerprint(sim.NewDigest), s.fingerprint(sim.NewDigest))
}

// A store that knows which keys have changed since it began gives the same answers as a store that
// looks at each key, and does not change the keys that all stores began with.
func TestRangesOfManyInitialKeys(t *testing.T) {
	c := Contents{Revision: 1}
	for i := range 3 * leastInitial {
		c.Revision++
		c.Initial = append(c.Initial, &wire.KeyValue{Key: "/k" + strconv.Itoa(i), Value: "initial", CreateRevision: c.Revision, ModRevision: c.Revision, Version: 1})
	}
	o := Options{KeepsTombstone: true}
	o.SetDefaults()
	s := &WatchableStore{}
	rapid.Check(t, func(t *rapid.T) {
		s.Reset(o, &c)
		whole, _ := s.rangeKeys(nil, &wire.RangeRequest{Key: "/", RangeEnd: "0"}, s.currentRev)
		before := digest(whole)
		key := func() string { return "/k" + strconv.Itoa(rapid.IntRange(0, 4*leastInitial).Draw(t, "key")) }
		number := func(most int) int64 { return int64(rapid.IntRange(0, most).Draw(t, "number")) }
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0, 1:
				s.Put(key(), "new", 0)
				s.end()
			case 2:
				if v := s.last(key()); v != nil && !v.tombstone {
					s.delete(v)
					s.end()
				}
			case 3:
				if s.compact(s.currentRev-number(3)) == 0 {
					s.compactBatch(&compactionJob{rev: s.compactMainRev})
				}
			default:
				r := &wire.RangeRequest{Key: key(), RangeEnd: rapid.SampledFrom([]string{"0", "\x00", "/k2", key()}).Draw(t, "end")}
				r.Limit, r.CountOnly, r.KeysOnly = number(3)*number(50), number(5) == 0, number(5) == 0
				if number(5) == 0 {
					r.SortOrder, r.MinModRevision = wire.SortOrder(number(2)), number(100)
				}
				if number(2) == 0 {
					r.Revision = s.currentRev - number(5)
				}
				plain := s.Store
				plain.initial, plain.scan = nil, scanner{}
				plain.ranges, plain.found = arena.Arena[wire.RangeResponse]{}, arena.Arena[*wire.KeyValue]{}
				want, wantCode := plain.rangeKeys(nil, r, s.currentRev)
				got, code := s.rangeKeys(nil, r, s.currentRev)
				require.Equal(t, wantCode, code)
				if want != nil {
					want.Know(&s.initial.Initial)
				}
				require.Equal(t, want, got)
			}
		}
		require.Equal(t, before, digest(whole))
	})
}

func digest(r *wire.RangeResponse) sim.Digest { return r.Digest(sim.NewDigest) }

// syncing measures syncWatchers for ten watchers of one stream, with 20 events
// for each.
type syncing struct {
	sim.Node
	*WatchableStore
	b *testing.B
}

func (y *syncing) VictimsLanded(*sim.Env)         {}
func (y *syncing) ProgressDeferred(*sim.Env) bool { return false }
func (y *syncing) Run(*sim.Env, sim.Task)         {}
func (y *syncing) Fire(*sim.Env, sim.Timer)       {}
func (y *syncing) TaskName(sim.Task) string       { return "" }
func (y *syncing) TimerName(sim.Timer) string     { return "" }
func (y *syncing) Receive(*sim.Env, *sim.Message) {}

func (y *syncing) Start(env *sim.Env) {
	for range 20 {
		y.Put("/a", "1", 0)
		y.end()
	}
	ws := y.NewWatchStream(y)
	ws.Open(StreamName{Client: "client"}, Tasks)
	for range 10 {
		ws.Watch(env, &wire.WatchCreateRequest{Key: "/a"}, 2)
	}
	y.b.ReportAllocs()
	for y.b.Loop() {
		for _, w := range ws.watchers.Value().list {
			*w.minRev.Value() = 2
			y.setGroup(env, w, unsynced)
		}
		y.syncWatchers(env)
		ws.Chan.Make(128, Tasks)
		y.events.Rewind()
	}
}

func BenchmarkSyncWatchers(b *testing.B) {
	w := sim.NewWorld(sim.Options{})
	w.Add("etcd", &syncing{WatchableStore: newStore(), b: b})
	w.Start(firstChoice{})
}

type firstChoice struct{}

func (firstChoice) Pick(*sim.World, []sim.Action) int  { return 0 }
func (firstChoice) Choose(*sim.World, int, string) int { return 0 }
