package mvcc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

func newStore() *WatchableStore {
	o := Options{CompactTombstone: Kept}
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
	ws.Open(StreamName{}, Tasks)
	for range 10 {
		ws.Watch(env, &wire.WatchCreateRequest{Key: "/a"}, 2)
	}
	y.b.ReportAllocs()
	for y.b.Loop() {
		for _, w := range ws.watchers {
			w.minRev = 2
			y.setGroup(env, w, unsynced)
		}
		y.syncWatchers(env)
		ws.Chan.Make(128, cellChan, 0, Tasks)
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
