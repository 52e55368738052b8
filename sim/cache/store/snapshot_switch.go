package store

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// KeepsSnapshots reports whether the design has snapshots, switched off or not.
func (s *Store) KeepsSnapshots() bool { return s.snapshots.tree != nil }

// SnapshotsAllowed reports whether reads may be served from snapshots: the design
// has them, and no consistency check has failed since the last success
// (upstream's SnapshottingEnabled).
func (s *Store) SnapshotsAllowed(env *sim.Env) bool {
	if s.snapshots.tree == nil {
		return false
	}
	env.ReadsItem(CellSnapshots, 0, itemSwitch)
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
		env.ReadsItem(CellSnapshots, 0, at.resourceVersion)
	} else {
		env.Reads(CellSnapshots, 0)
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
		env.Writes(CellSnapshots, 0)
		env.Cover(snapshotsSuspended)
		k.reset()
	case k.suspended:
		env.WritesItem(CellSnapshots, 0, itemSwitch)
		env.Cover(snapshotsAgain)
		again.Say(env)
	default:
		env.LooksAt(CellSnapshots, 0)
	}
	k.suspended = !consistent
}

// DropSnapshots drops all past states. The newest state stays, and the next event leaves a snapshot.
func (s *Store) DropSnapshots(env *sim.Env) {
	if k := &s.snapshots; k.taking() {
		env.Writes(CellSnapshots, 0)
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
	env.WritesItem(CellSnapshots, 0, itemSwitch)
	s.snapshots.amidEvent = true
}

// ToBeMarked reports whether that event has not come yet.
func (s *Store) ToBeMarked() bool { return s.snapshots.amidEvent }

// LoseSnapshot has the next change leave no snapshot, by a fault: the one before it then
// stands for the state after it, and is stale.
func (s *Store) LoseSnapshot(env *sim.Env) {
	if s.snapshots.taking() {
		env.WritesItem(CellSnapshots, 0, itemSwitch)
		s.snapshots.losesNext = true
	}
}

// loses reports whether this change is to leave no snapshot, by a fault.
func (s *Store) loses(env *sim.Env) bool {
	if !s.snapshots.losesNext {
		return false
	}
	env.ReadsItem(CellSnapshots, 0, itemSwitch)
	env.WritesItem(CellSnapshots, 0, itemSwitch)
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
	env.WritesItem(CellSnapshots, 0, resourceVersion)
	k := &s.snapshots
	k.outlived = false
	if k.amidEvent {
		env.ReadsItem(CellSnapshots, 0, itemSwitch)
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
	env.WritesItem(CellSnapshots, 0, sim.NoItem)
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
	env.Writes(CellSnapshots, 0)
	k.reset()
	if k.taking() {
		s.takeSnapshot(env, resourceVersion)
	}
}
