package cache_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// healthy is a cache on an etcd that keeps its promises, with two readers and a
// watcher.
type healthy struct {
	w        *sim.World
	etcd     *rightEtcd
	cache    *cache.Cache
	readers  [2]*reader
	follower *follower
}

func newHealthy(cfg cache.Config, commits int) *healthy {
	h := &healthy{w: sim.NewWorld(sim.Options{}), etcd: &rightEtcd{commits: commits}}
	h.cache = cache.New(cfg)
	h.w.Add("etcd", h.etcd)
	h.w.Add("cache", h.cache)
	for i := range h.readers {
		h.readers[i] = &reader{to: cacheID, left: 6}
		h.readers[i].etcd = func() int64 { return h.etcd.rev }
		h.w.Add(fmt.Sprint("reader ", i), h.readers[i])
	}
	h.follower = &follower{to: cacheID, left: 4}
	h.w.Add("follower", h.follower)
	return h
}

// check compares the store with ground truth at the cache's resourceVersion:
// the property "mirrors".
func (h *healthy) check() error {
	rv := h.cache.ResourceVersion()
	if rv == 0 {
		return nil
	}
	if rv > h.etcd.rev {
		return fmt.Errorf("cache at %d, etcd at %d", rv, h.etcd.rev)
	}
	var have []*wire.KeyValue
	h.cache.Ascend(func(kv *wire.KeyValue) bool {
		have = append(have, kv)
		return true
	})
	return h.equal(rv, have)
}

func (h *healthy) equal(rv int64, have []*wire.KeyValue) error {
	want := h.etcd.at(rv)
	if !slices.EqualFunc(want, have, func(a, b *wire.KeyValue) bool { return *a == *b }) {
		return fmt.Errorf("at %d: have %v, want %v", rv, values(have), values(want))
	}
	return nil
}

func values(kvs []*wire.KeyValue) (all []wire.KeyValue) {
	for _, kv := range kvs {
		all = append(all, *kv)
	}
	return all
}

// answers checks what the readers were answered.
func (h *healthy) answers() error {
	for _, r := range h.readers {
		for _, a := range r.answers {
			l, ok := a.told.(*wire.ListResponse)
			if !ok {
				continue
			}
			switch {
			case a.req.ResourceVersion == wire.Unset && l.ResourceVersion < a.revision:
				return fmt.Errorf("consistent list at %d, asked when etcd was at %d", l.ResourceVersion, a.revision)
			case a.req.ResourceVersion > l.ResourceVersion:
				return fmt.Errorf("list at %d, asked for %d", l.ResourceVersion, a.req.ResourceVersion)
			case a.req.Match == wire.MatchExact && l.ResourceVersion != a.req.ResourceVersion:
				return fmt.Errorf("list at %d, asked for exactly %d", l.ResourceVersion, a.req.ResourceVersion)
			}
			want := h.etcd.at(l.ResourceVersion)
			if a.req.Limit > 0 && len(want) > int(a.req.Limit) {
				if l.Continue == "" {
					return fmt.Errorf("page without a token")
				}
				want = want[:a.req.Limit]
			}
			if !slices.EqualFunc(want, l.Items, func(a, b *wire.KeyValue) bool { return *a == *b }) {
				return fmt.Errorf("list at %d: have %v, want %v", l.ResourceVersion, values(l.Items), values(want))
			}
		}
	}
	return nil
}

// streams checks what the watcher was sent: after the present state, every change
// once and in order, and no bookmark before the changes that it covers.
func (h *healthy) streams() error {
	for _, s := range h.follower.streams {
		if err := h.stream(s); err != nil {
			return err
		}
	}
	return nil
}

func (h *healthy) stream(s stream) error {
	at := s.from
	for i, e := range s.events {
		if e.Type == wire.Failed {
			continue
		}
		truth := h.etcd.log[e.ResourceVersion]
		if at == 0 && e.Type == wire.Added {
			// The present state comes in the order of keys. It ends before the
			// first event of another type.
			if *e.Item != *truth.Item {
				return fmt.Errorf("event %d: have %s, want %s", i, e.Label(), truth.Label())
			}
			continue
		}
		covered := e.ResourceVersion
		if e.Type != wire.Bookmark {
			if covered--; e.ResourceVersion <= at {
				return fmt.Errorf("event %d: %s after %d", i, e.Label(), at)
			}
			if truth == nil || e.Type != truth.Type || *e.Item != *truth.Item {
				return fmt.Errorf("event %d: have %s, want %v", i, e.Label(), truth)
			}
		}
		for rv := at + 1; at > 0 && rv <= covered; rv++ {
			if missed := h.etcd.log[rv]; missed != nil {
				return fmt.Errorf("event %d: %s after %d misses %s", i, e.Label(), at, missed.Label())
			}
		}
		at = max(at, e.ResourceVersion)
	}
	return nil
}

type drawn struct{ t *rapid.T }

func (d drawn) Pick(_ *sim.World, enabled []sim.Action) int {
	return rapid.IntRange(0, len(enabled)-1).Draw(d.t, "pick")
}

func (d drawn) Choose(_ *sim.World, n int, what string) int {
	return rapid.IntRange(0, n-1).Draw(d.t, what)
}

func randomConfig(draw func(n int) int) cache.Config {
	designs := []string{"kep-2340", "kep-2340-fallback", "single-request", "kep-4988"}
	o, err := cache.ForDesign(designs[draw(len(designs))])
	if err != nil {
		panic(err)
	}
	cfg := config(o)
	cfg.ListPageSize = 1 + draw(3)
	cfg.RingCapacity = 1 + draw(4)
	cfg.IncomingCapacity = 1 + draw(6)
	cfg.WatchCapacity = 1 + draw(3)
	return cfg
}

// With an etcd that keeps its promises the store mirrors the truth after every
// step, lists are what they claim, and watchers miss nothing: whatever is
// chosen.
func TestMirrors(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := drawn{rt}
		cfg := randomConfig(func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "config") })
		h := newHealthy(cfg, rapid.IntRange(0, 12).Draw(rt, "commits"))
		h.w.Start(c)
		for range rapid.IntRange(0, 300).Draw(rt, "steps") {
			if !h.w.Step(c) {
				break
			}
			if err := h.check(); err != nil {
				rt.Fatal(err)
			}
		}
		for _, err := range []error{h.answers(), h.streams()} {
			if err != nil {
				rt.Fatal(err)
			}
		}
	})
}

type seeded struct{ *rand.Rand }

func (s seeded) Pick(_ *sim.World, enabled []sim.Action) int { return s.IntN(len(enabled)) }
func (s seeded) Choose(_ *sim.World, n int, _ string) int    { return s.IntN(n) }

func (h *healthy) steps(c sim.Chooser, n int) {
	for range n {
		if !h.w.Step(c) {
			return
		}
	}
}

func randomRun(seed uint64, steps int) *healthy {
	c := seeded{rand.New(rand.NewPCG(seed, 0))}
	h := newHealthy(randomConfig(c.IntN), 1+c.IntN(12))
	h.w.Start(c)
	h.steps(c, steps)
	return h
}

// Random runs reach the branches that only need a healthy etcd; the scripted
// tests reach the others.
func TestRandomRunsReachTheBranches(t *testing.T) {
	counts := map[string]uint64{}
	for seed := range uint64(4000) {
		h := randomRun(seed, 300)
		require.NoError(t, h.check())
		require.NoError(t, h.answers())
		require.NoError(t, h.streams())
		for _, s := range sim.CoveragePoints() {
			counts[s.String()] += h.w.Count(s)
		}
	}
	for _, name := range []string{
		"relist", "list of several pages", "compaction between the pages of a list", "watch ended by compaction",
		"watch started again after an internal error", "watch started again after it closed", "watch closed at once",
		"not ready while a read waits", "full channel blocks ingestion", "event evicted from the history",
		"read served after waiting", "read served without waiting", "read served although its time was up",
		"read woken and still too early", "consistent list rejected after the timeout",
		"consistent list falls back to etcd after the timeout", "read served while not ready",
		"progress requested at once after idleness", "progress timer found no waiting read",
		"progress requester woken for a read that is gone", "watch from before the history",
		"watch registered after the cache started over", "interval evicted before it was sent",
		"event dispatched that the interval had", "watcher blocked by its client", "blocked watcher terminated",
		"dispatcher blocked by a watcher", "blocked watcher caught up in time", "bookmark sent to a watcher",
		"bookmark dropped by a full watcher", "watch ended by a relist",
	} {
		require.NotZero(t, counts["cache: "+name], name)
	}
	require.Zero(t, counts["cache: resourceVersion goes back in time"])
	require.Zero(t, counts["cache: deletion of an object that it does not have"])
}

// The checks themselves see a broken promise: progress before the events.
func TestEarlyProgressIsSeen(t *testing.T) {
	for seed := range uint64(200) {
		c := seeded{rand.New(rand.NewPCG(seed, 1))}
		h := newHealthy(config(cache.Options{}), 12)
		h.etcd.early = true
		h.w.Start(c)
		for range 300 {
			if !h.w.Step(c) {
				break
			}
			if h.check() != nil {
				return
			}
		}
	}
	t.Fatal("200 runs did not show it")
}
