package store

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
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

// KeepsSnapshots reports whether the design has snapshots, switched off or not.
func (s *Store) KeepsSnapshots() bool { return s.snapshots.tree != nil }

// SnapshotsAllowed reports whether reads may be served from snapshots: the design
// has them, and no consistency check has failed since the last success
// (upstream's SnapshottingEnabled).
func (s *Store) SnapshotsAllowed(env *sim.Env) bool {
	if s.snapshots.tree == nil {
		return false
	}
	env.ReadItem(CellSnapshots, 0, itemSwitch)
	return !s.snapshots.suspended
}

// At is the state at a resourceVersion that the cache has reached, if it is still
// known (GetExactSnapshotLocked).
func (s *Store) At(env *sim.Env, resourceVersion int64) (View, bool) {
	if s.snapshots.tree == nil {
		return View{}, false
	}
	at, ok := s.snapshots.lessOrEqual(resourceVersion)
	if ok = ok && resourceVersion >= s.snapshots.compacted; ok {
		env.ReadItem(CellSnapshots, 0, at.resourceVersion)
	} else {
		env.Read(CellSnapshots, 0)
	}
	return View{
		ResourceVersion: resourceVersion, Snapshot: at.resourceVersion,
		objects: at.objects, changes: s.changesBehind(&at), resource: s.cfg.Prefix,
	}, ok
}

// MarkConsistent switches snapshots on, and off if the cache was found to differ
// from etcd. What there was is dropped then.
func (s *Store) MarkConsistent(env *sim.Env, consistent bool) {
	k := &s.snapshots
	if k.tree == nil {
		return
	}
	switch {
	case !consistent:
		env.Write(CellSnapshots, 0)
		env.Cover(snapshotsSuspended)
		k.reset()
	case k.suspended:
		env.WriteItem(CellSnapshots, 0, itemSwitch)
		env.Cover(snapshotsAgain)
		again.Say(env)
	default:
		env.LookAt(CellSnapshots, 0)
	}
	k.suspended = !consistent
}

// DropSnapshots drops all past states. The newest state stays, and the next event leaves a snapshot.
func (s *Store) DropSnapshots(env *sim.Env) {
	if k := &s.snapshots; k.taking() {
		env.Write(CellSnapshots, 0)
		if k.tree.Len() > 0 {
			env.Cover(snapshotsDropped)
			if env.Noting() {
				which := "its only snapshot"
				if n := k.tree.Len(); n > 1 {
					which = "all " + sim.Some(n, "snapshot")
				}
				env.Note(dropped.Of(which))
			}
		}
		k.reset()
	}
}

// MarkInconsistentAmidEvent switches snapshots off while the next event is on its
// way into the cache: between its look at the switch and its snapshot.
func (s *Store) MarkInconsistentAmidEvent(env *sim.Env) {
	env.WriteItem(CellSnapshots, 0, itemSwitch)
	s.snapshots.amidEvent = true
}

// ToBeMarked reports whether that event has not come yet.
func (s *Store) ToBeMarked() bool { return s.snapshots.amidEvent }

// LoseSnapshot has the next change leave no snapshot, by a fault: the one before it then
// stands for the state after it, and is stale.
func (s *Store) LoseSnapshot(env *sim.Env) {
	if s.snapshots.taking() {
		env.WriteItem(CellSnapshots, 0, itemSwitch)
		s.snapshots.losesNext = true
	}
}

// loses reports whether this change is to leave no snapshot, by a fault.
func (s *Store) loses(env *sim.Env) bool {
	if !s.snapshots.losesNext {
		return false
	}
	env.ReadItem(CellSnapshots, 0, itemSwitch)
	env.WriteItem(CellSnapshots, 0, itemSwitch)
	s.snapshots.losesNext = false
	return true
}

// AscendSnapshots calls f for each past state that lists may be answered from, between
// two steps: until is the newest resourceVersion for which it stands.
func (s *Store) AscendSnapshots(f func(until int64, ascend func(func(*wire.KeyValue) bool))) {
	k := &s.snapshots
	if !k.taking() {
		return
	}
	var before *snapshot
	show := func(until int64) {
		if before != nil {
			f(until, func(object func(*wire.KeyValue) bool) { before.objects.tree.Ascend(object) })
		}
	}
	k.tree.Ascend(func(at snapshot) bool {
		show(at.resourceVersion - 1)
		before = &at
		return true
	})
	show(s.resourceVersion)
}

// SnapshotsBeyondHistory is how many snapshots there are more than one for each event
// that the history has room for and one for the list, between two steps.
func (s *Store) SnapshotsBeyondHistory() int {
	if s.snapshots.tree == nil {
		return 0
	}
	return max(0, s.snapshots.tree.Len()-s.history.capacity-1)
}

// takeSnapshot keeps the state after an event. It comes before the broadcast: a
// read that is woken by a version must find its snapshot.
func (s *Store) takeSnapshot(env *sim.Env, resourceVersion int64) {
	env.WriteItem(CellSnapshots, 0, resourceVersion)
	k := &s.snapshots
	k.outlived = false
	if k.amidEvent {
		env.ReadItem(CellSnapshots, 0, itemSwitch)
		env.Cover(snapshotOutlives)
		outlives.Say(env, resourceVersion)
		s.MarkConsistent(env, false)
		k.amidEvent, k.outlived = false, true
	}
	if resourceVersion < s.compacted {
		env.Cover(snapshotLate)
		if !s.cfg.KeepsLateSnapshots && !s.cfg.LastSnapshotStays {
			return
		}
	}
	env.Cover(snapshotTaken)
	k.add(resourceVersion, s.objects, s.changes.since)
	if resourceVersion <= k.compacted {
		s.compactSnapshots(k.compacted)
	}
	env.Record(snapshotsKept, int64(k.tree.Len()))
}

// evictSnapshots keeps as much of the past as the history does. A full history
// is enough, it need not have lost an event yet: the snapshot of the list that
// came before its oldest one goes (CompactSnapshotsLocked).
func (s *Store) evictSnapshots(env *sim.Env) {
	env.WriteItem(CellSnapshots, 0, sim.NoItem)
	if h := &s.history; h.isFull() && s.compactSnapshots(h.at(h.startIndex).ResourceVersion) > 0 {
		env.Cover(snapshotEvicted)
		snapshotsGone.Say(env, h.at(h.startIndex).ResourceVersion)
	}
}

// compactSnapshots drops the snapshots that serve nothing from a revision on (snapshotter.Compact), and returns their
// number.
func (s *Store) compactSnapshots(revision int64) int {
	k := &s.snapshots
	switch {
	case !s.cfg.LastSnapshotStays:
		return k.removeLess(revision)
	case k.suspended:
		return 0
	}
	k.compacted = max(k.compacted, revision)
	last, ok := k.lessOrEqual(k.compacted)
	if !ok {
		return 0
	}
	return k.removeLess(last.resourceVersion)
}

// resetSnapshots begins anew with what Replace has put into the store.
func (s *Store) resetSnapshots(env *sim.Env, resourceVersion int64) {
	k := &s.snapshots
	if k.tree == nil {
		return
	}
	env.Write(CellSnapshots, 0)
	k.reset()
	if k.taking() {
		s.takeSnapshot(env, resourceVersion)
	}
}
