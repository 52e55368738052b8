package cache

import (
	"strings"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// snapshot is the store as it was from resourceVersion on, until the next
// event. Nobody changes it, so that clones of a cache share it.
type snapshot struct {
	resourceVersion int64
	store           *btree.BTreeG[*wire.KeyValue]
}

// ascend calls f for the objects under a prefix whose keys are from or later,
// in key order, until f says stop. An empty from is the first one.
func (s snapshot) ascend(prefix, from string, f func(*wire.KeyValue) bool) {
	s.store.AscendGreaterOrEqual(&wire.KeyValue{Key: max(prefix, from)}, func(kv *wire.KeyValue) bool {
		return strings.HasPrefix(kv.Key, prefix) && f(kv)
	})
}

// snapshotter is upstream's storeSnapshotter with the switch beside it: the past
// states by resourceVersion (KEP-4988, "Snapshotting algorithm").
//
// A snapshot is a lazy copy of the store: it costs the nodes on the way to the
// next change, which the store copies before it writes. What the store then
// frees are nodes that it made since the last snapshot, so that neither a
// shared free list nor Clear(true) ever reaches into one.
type snapshotter struct {
	// suspended: a consistency check failed, and none has succeeded since.
	suspended bool
	// outlived: the newest snapshot is from the time before they were switched
	// off, and of another state than the store's.
	outlived  bool
	snapshots *btree.BTreeG[snapshot]
}

func lessSnapshot(a, b snapshot) bool { return a.resourceVersion < b.resourceVersion }

// init forgets all snapshots. A cache that keeps none never gets a tree.
func (s *snapshotter) init(how Snapshotting) {
	s.suspended, s.outlived = false, false
	switch {
	case how == SnapshotsOff:
		s.snapshots = nil
	case s.snapshots == nil:
		s.snapshots = btree.NewG(degree, lessSnapshot)
	default:
		s.reset()
	}
}

func (s *snapshotter) taking() bool { return s.snapshots != nil && !s.suspended }

func (s *snapshotter) add(resourceVersion int64, store *btree.BTreeG[*wire.KeyValue]) {
	s.snapshots.ReplaceOrInsert(snapshot{resourceVersion, store.Clone()})
}

// removeLess drops the snapshots below a resourceVersion; the one at it stays.
// What a dropped one also stood for, the versions between the two, goes too.
func (s *snapshotter) removeLess(resourceVersion int64) (removed int) {
	for {
		oldest, ok := s.snapshots.Min()
		if !ok || resourceVersion <= oldest.resourceVersion {
			return removed
		}
		s.snapshots.DeleteMin()
		removed++
	}
}

func (s *snapshotter) reset() {
	s.outlived = false
	s.snapshots.Clear(true)
}

// lessOrEqual is the snapshot with the greatest resourceVersion up to one.
func (s *snapshotter) lessOrEqual(resourceVersion int64) (found snapshot, ok bool) {
	s.snapshots.DescendLessOrEqual(snapshot{resourceVersion: resourceVersion}, func(at snapshot) bool {
		found, ok = at, true
		return false
	})
	return found, ok
}

func (s *snapshotter) clone() snapshotter {
	c := *s
	if s.snapshots != nil {
		c.snapshots = s.snapshots.Clone()
	}
	return c
}

// fingerprint takes the versions and what is at them: with a planted defect the
// contents do not follow from the history.
func (s *snapshotter) fingerprint(d sim.Digest) sim.Digest {
	if s.snapshots == nil {
		return d
	}
	d = d.Bool(s.suspended).Bool(s.outlived).Int(int64(s.snapshots.Len()))
	s.snapshots.Ascend(func(at snapshot) bool {
		d = d.Int(at.resourceVersion).Int(int64(at.store.Len()))
		at.store.Ascend(func(kv *wire.KeyValue) bool {
			d = d.Text(kv.Key).Int(kv.ModRevision)
			return true
		})
		return true
	})
	return d
}

// snapshotsAllowed reports whether reads may be served from snapshots: the
// design has them, and no consistency check has failed since the last success
// (upstream's SnapshottingEnabled).
func (c *Cache) snapshotsAllowed() bool { return c.watchCache.snapshots.taking() }

// snapshotAt is the store as it was at a resourceVersion that the cache has
// reached, if it still knows (GetExactSnapshotLocked).
func (c *Cache) snapshotAt(rv int64) (snapshot, bool) {
	s := &c.watchCache.snapshots
	if s.snapshots == nil {
		return snapshot{}, false
	}
	return s.lessOrEqual(rv)
}

// newestSnapshot is what lists of the newest state are answered from
// (LatestSnapshotLocked) where that is another state than the store's. Else it
// has no store.
func (c *Cache) newestSnapshot() snapshot {
	s := &c.watchCache.snapshots
	if !s.outlived || !s.taking() {
		return snapshot{}
	}
	newest, _ := s.snapshots.Max()
	return newest
}

// takeSnapshot keeps the store as it is after an event. It comes before the
// broadcast: who is woken by a version must find its snapshot.
func (c *Cache) takeSnapshot(env *sim.Env, resourceVersion int64) {
	s := &c.watchCache.snapshots
	s.outlived = false
	if c.checker.state == checkerMarking {
		c.markAmidEvent(env)
		s.outlived = true
	}
	if resourceVersion < c.compaction.revision {
		env.Cover(snapshotLate)
		if c.cfg.Snapshots.LateSnapshot == LateSnapshotDropped {
			return
		}
	}
	env.Cover(snapshotTaken)
	s.add(resourceVersion, c.watchCache.store)
	env.Record(snapshotsKept, int64(c.watchCache.snapshots.snapshots.Len()))
}

// evictSnapshots keeps as much of the past as the history does. A full history
// is enough, it need not have lost an event yet: the snapshot of the list that
// came before its oldest one goes (CompactSnapshotsLocked).
func (c *Cache) evictSnapshots(env *sim.Env) {
	w := &c.watchCache
	if h := &w.history; h.isFull() && w.snapshots.removeLess(h.at(h.startIndex).resourceVersion) > 0 {
		env.Cover(snapshotEvicted)
	}
}

// resetSnapshots begins anew with what Replace has put into the store.
func (c *Cache) resetSnapshots(env *sim.Env, resourceVersion int64) {
	s := &c.watchCache.snapshots
	if s.snapshots == nil {
		return
	}
	s.reset()
	if s.taking() {
		c.takeSnapshot(env, resourceVersion)
	}
}
