package cache_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/wire"
)

func (h *healthy) clone(t *testing.T) *healthy {
	w, err := h.w.Clone()
	require.NoError(t, err)
	c := &healthy{w: w, etcd: w.Node(1).(*rightEtcd), cache: w.Node(2).(*cache.Cache), follower: w.Node(5).(*follower)}
	for i := range c.readers {
		c.readers[i] = w.Node(sim.NodeID(3 + i)).(*reader)
		c.readers[i].etcd = func() int64 { return c.etcd.rev }
	}
	return c
}

func (h *healthy) end(t *testing.T) (hash, fingerprint uint64) {
	require.NoError(t, h.check())
	require.NoError(t, h.answers())
	require.NoError(t, h.streams())
	fingerprint, err := h.w.Fingerprint()
	require.NoError(t, err)
	return h.w.TraceHash(), fingerprint
}

// Clones go their own ways, whichever goes first, and what the original does
// afterwards is the same as without them.
func TestClone(t *testing.T) {
	for seed := range uint64(300) {
		h := randomRun(seed, 20+int(seed)%80)
		goOn := func(h *healthy, seed uint64) (uint64, uint64) {
			h.steps(seeded{rand.New(rand.NewPCG(seed, 2))}, 150)
			return h.end(t)
		}
		a, b := h.clone(t), h.clone(t)
		_, before := h.end(t)
		_, clone := a.end(t)
		require.Equal(t, before, clone, "seed %d", seed)
		goOn(b, seed+1000)
		hash, fingerprint := goOn(h, seed)
		// The original's memory is used again while the clone lives.
		h.cache.Reset(config(cache.Options{ProgressRequests: progress.Once}))
		again, sameFingerprint := goOn(a, seed)
		require.Equal(t, hash, again, "seed %d", seed)
		require.Equal(t, fingerprint, sameFingerprint, "seed %d", seed)
	}
}

// A cache that is reset behaves as a new one does.
func TestReset(t *testing.T) {
	used := cache.New(config(cache.Options{}))
	for seed := range uint64(100) {
		run := func(reuse bool) uint64 {
			c := seeded{rand.New(rand.NewPCG(seed, 3))}
			h := newHealthy(randomConfig(c.IntN), 1+c.IntN(12))
			if reuse {
				w := sim.NewWorld(sim.Options{})
				used.Reset(randomConfig(rand.New(rand.NewPCG(seed, 3)).IntN))
				h.cache, h.w = used, w
				w.Add("etcd", h.etcd)
				w.Add("cache", used)
				for i, r := range h.readers {
					w.Add([2]string{"reader 0", "reader 1"}[i], r)
				}
				w.Add("follower", h.follower)
			}
			h.w.Start(c)
			h.steps(c, 200)
			hash, _ := h.end(t)
			return hash
		}
		require.Equal(t, run(false), run(true), "seed %d", seed)
	}
}

// Each part of the state shows in the fingerprint.
func TestFingerprint(t *testing.T) {
	fingerprint := func(b *bed) sim.Digest { return b.cache.Fingerprint(sim.NewDigest) }
	b := newBed(t, config(cache.Options{}))
	seen := map[sim.Digest]string{fingerprint(b): "start"}
	step := func(what string, f func()) {
		t.Helper()
		f()
		require.Empty(t, seen[fingerprint(b)], what)
		seen[fingerprint(b)] = what
	}
	step("listed", func() { b.listed(5, kv("a", "1", 5)) })
	step("read asks", func() { b.ask(consistentList()) })
	step("waits", func() { b.settle(); b.answer(&wire.RangeResponse{Revision: 9}) })
	step("expired", func() { b.do("fire cache timeout of read 0") })
	step("rejected", func() { b.do("run cache read 0") })
	step("event in", func() { b.send(added("b", "1", 6)); b.do("deliver up>cache") })
	step("in the channel", func() { b.do("run cache hand over") })
	step("dispatched", func() { b.do("run cache dispatchEvents") })
	step("watch asked", func() { b.ask(&wire.WatchRequest{Prefix: prefix}) })
	step("watch registered", func() { b.do("run cache watcher 0") })
	step("watch streaming", func() { b.settle() })
	step("progress tick", func() { b.do("fire cache progress request period") })
	step("other value", func() { b.send(modified(kv("a", "1", 5), "2", 7)); b.settle() })
	step("bookmark", func() { b.send(bookmark(8)); b.settle() })
}
