package store

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
)

// snapshot is the state from resourceVersion on, until the next event. It never
// changes, so that clones of a cache share it.
type snapshot struct {
	resourceVersion int64
	objects         objects
	// since is that of the changes of the contents that it was taken of.
	since int
}

// snapshots is upstream's storeSnapshotter with the switch beside it: the past
// states by resourceVersion (KEP-4988, "Snapshotting algorithm").
//
// A snapshot is a lazy copy of the store: it costs the nodes on the way to the
// next change, which the store copies before it writes. What the store then
// frees are nodes that it made since the last snapshot, so that neither a
// shared free list nor Clear(true) ever reaches into one.
type snapshots struct {
	// suspended: a consistency check failed, and none has succeeded since.
	suspended bool
	// outlived: the newest snapshot is from the time before they were switched
	// off, and of another state than the store's.
	outlived bool
	// amidEvent: they are to be switched off while the next event is on its way
	// into the cache.
	amidEvent bool
	// losesNext: the next change leaves none, by a fault.
	losesNext bool
	// compacted is from where on the oldest snapshot serves, where the last one from before a compaction stays.
	compacted int64
	tree      state.BTree[snapshot]
}

// init forgets all snapshots. A cache that keeps none never gets a tree.
func (s *snapshots) init(keep bool) {
	*s = snapshots{tree: s.tree}
	switch {
	case !keep:
		s.tree = nil
	case s.tree == nil:
		s.tree = state.NewBTree(func(a, b snapshot) bool { return a.resourceVersion < b.resourceVersion })
	default:
		s.tree.Clear(true)
	}
}

func (s *snapshots) taking() bool { return s.tree != nil && !s.suspended }

// changesBehind are the changes in a snapshot and after it, nil if the snapshot was taken
// of other contents.
func (s *Store) changesBehind(at *snapshot) *changes {
	if at.since != s.changes.since {
		return nil
	}
	return &s.changes
}

func (s *snapshots) add(resourceVersion int64, o objects, since int) {
	s.tree.ReplaceOrInsert(snapshot{resourceVersion, o.clone(), since})
}

// removeLess drops the snapshots below a resourceVersion; the one at it stays.
// What a dropped one also stood for, the versions between the two, goes too.
func (s *snapshots) removeLess(resourceVersion int64) (removed int) {
	for {
		oldest, ok := s.tree.Min()
		if !ok || resourceVersion <= oldest.resourceVersion {
			return removed
		}
		s.tree.DeleteMin()
		removed++
	}
}

func (s *snapshots) reset() {
	s.outlived, s.compacted = false, 0
	s.tree.Clear(true)
}

// lessOrEqual is the snapshot with the greatest resourceVersion up to one.
func (s *snapshots) lessOrEqual(resourceVersion int64) (found snapshot, ok bool) {
	s.tree.DescendLessOrEqual(snapshot{resourceVersion: resourceVersion}, func(at snapshot) bool {
		found, ok = at, true
		return false
	})
	return found, ok
}

func (s *snapshots) clone() snapshots {
	c := *s
	if s.tree != nil {
		c.tree = state.CloneBTree(s.tree)
	}
	return c
}

// fingerprint takes the versions and what is at them: with a planted bug the
// contents do not follow from the history.
func (s *snapshots) fingerprint(d sim.Digest) sim.Digest {
	if s.tree == nil {
		return d
	}
	d = d.Bool(s.suspended).Bool(s.outlived).Bool(s.amidEvent).Int(int64(s.tree.Len()))
	if s.compacted != 0 {
		d = d.Int(s.compacted)
	}
	if s.losesNext {
		d = d.Text("loses the next one")
	}
	s.tree.Ascend(func(at snapshot) bool {
		d = at.objects.fingerprint(d.Int(at.resourceVersion))
		return true
	})
	return d
}
