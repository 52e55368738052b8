// Package mvcc (unstable) is the store of a simulated etcd server, with the original's parts under
// the original's names:
//
//	kvstore*.go          Store: the key index over the backend, compaction, restore
//	watchable_store.go   WatchableStore: notify, syncWatchers, syncVictimsLoop, restore
//	watcher.go           WatchStream, watcher; choose, chooseAll, eventBatch
//
// Each method that takes an Env is part of one step of a simulation, and declares
// which cells it reads and writes. A store behaves like that of a release as its
// Options say.
//
// The package imports sim, its queues, options and state, and sim/wire. It must never
// import the rest of the server, which is built on it.
package mvcc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Store is mvcc.store: the key index (treeIndex) over the changes by revision
// (the key bucket of the backend).
type Store struct {
	opts Options
	// Forgets: versions behind a compaction go, as no clone of the store may want them.
	Forgets bool

	kvindex state.BTree[keyIndex]
	// backend holds the changes that no compaction has deleted yet, by revision.
	backend []*version
	// currentRev is the revision of the last transaction that changed something.
	currentRev int64
	// compactMainRev is the revision below which nothing may be read; -1 as long
	// as there was no compaction.
	compactMainRev int64
	// scheduledCompact and finishedCompact are the marks that survive a crash.
	scheduledCompact int64
	finishedCompact  state.Var[int64] `cell:"etcd: finishedCompact"`
	// beginRev is the revision that the store was created at.
	beginRev int64
	// jobs are compactions that still have to delete, the first one being under
	// way.
	jobs state.List[compactionJob] `cell:"etcd: scheduleCompaction"`
	// jobsDone is how many are done in this process.
	jobsDone int

	// initial are the many keys that the store began with, nil if they were few or are no
	// longer known. touched are the keys that have changed since, in order.
	initial *initial
	touched []string

	// newest is the entry of kvindex that was changed last: what is written is
	// often what is read next.
	newest keyIndex
	// changes are those of the write transaction that is open.
	changes []*version
	// removed are the versions that the last batch of a compaction took out of the
	// backend, forgotten the tombstones that it took out of the index.
	removed, forgotten []*version
	// lost are values that the index has and the backend lacks, fatal: a read has met one, and the process ends with
	// the step.
	lost  []*version
	fatal bool
	// digest covers the first digested entries of backend.
	digest   sim.Digest
	digested int

	versions arena.Arena[version]
	// ranges and found are memory for the answers of Range.
	ranges arena.Arena[wire.RangeResponse]
	found  arena.Arena[*wire.KeyValue]
	scan   scanner
}

// Contents is what a store begins with: the versions of keys that exist, several of
// one key if it has a history, by ModRevision. Revision is the store's, at least
// the newest of theirs and at least 1; Compacted is the revision below which
// history is gone, 0 if none is. The store shares the slice and never changes it.
type Contents struct {
	Initial             []*wire.KeyValue
	Revision, Compacted int64
}

func (c *Contents) same(d *Contents) bool {
	return c.Revision == d.Revision && c.Compacted == d.Compacted && len(c.Initial) == len(d.Initial) &&
		(len(c.Initial) == 0 || &c.Initial[0] == &d.Initial[0])
}

// initial are the newest versions of the keys that a store begins with, beside the key-values
// in them. Nothing changes it.
type initial struct {
	wire.Initial
	versions []*version
}

// leastInitial is about the number of keys from which on a range over all of them takes longer
// than a search for the changed ones.
const leastInitial = 64

// base is a store that was filled once, for all schedules that begin with it.
type base struct {
	contents Contents
	store    Store
}

// holds reports whether the base was filled with these contents.
func (b *base) holds(c *Contents) bool { return b != nil && b.contents.same(c) }

func newBase(c *Contents) *base {
	b := &base{contents: *c}
	s := &b.store
	s.kvindex = state.NewBTree(lessKey)
	s.currentRev, s.beginRev = c.Revision, c.Revision
	s.compactMainRev = -1
	if c.Compacted > 0 {
		s.compactMainRev, s.scheduledCompact, *s.finishedCompact.Value() = c.Compacted, c.Compacted, c.Compacted
	}
	kvs := slices.Clone(c.Initial)
	slices.SortStableFunc(kvs, func(a, b *wire.KeyValue) int { return int(a.ModRevision - b.ModRevision) })
	for _, kv := range kvs {
		v := &version{kv: *kv, prev: s.last(kv.Key)}
		if n := len(s.backend); n > 0 && s.backend[n-1].kv.ModRevision == kv.ModRevision {
			v.sub = s.backend[n-1].sub + 1
		}
		s.backend = append(s.backend, v)
		s.kvindex.ReplaceOrInsert(keyIndex{kv.Key, v})
	}
	if s.kvindex.Len() < leastInitial {
		return b
	}
	var versions []*version
	var newest []*wire.KeyValue
	s.kvindex.Ascend(func(ki keyIndex) bool {
		versions, newest = append(versions, ki.last), append(newest, &ki.last.kv)
		return true
	})
	s.initial = &initial{wire.NewInitial(newest), versions}
	return b
}

// reset makes s the base again and keeps its memory.
func (s *Store) reset(b *base) {
	if s.kvindex != nil && s.initial == nil {
		// Of many keys, nearly all nodes are those of the base. To look for the others
		// takes longer than to make new ones.
		s.kvindex.Clear(true)
	}
	s.versions.Rewind()
	s.ranges.Rewind()
	s.found.Rewind()
	from := &b.store
	*s = Store{
		opts:    s.opts,
		kvindex: state.CloneBTree(from.kvindex), backend: append(s.backend[:0], from.backend...),
		currentRev: from.currentRev, compactMainRev: from.compactMainRev,
		scheduledCompact: from.scheduledCompact, finishedCompact: from.finishedCompact,
		beginRev: from.beginRev,
		initial:  from.initial, touched: s.touched[:0],
		changes: s.changes[:0], removed: s.removed[:0], forgotten: s.forgotten[:0], lost: s.lost[:0], digest: sim.NewDigest,
		versions: s.versions, ranges: s.ranges, found: s.found, scan: s.scan,
	}
}

// own makes a copy of a store one of its own. The index is shared until one of both writes.
func (s *Store) own(of *Store) {
	s.kvindex = state.CloneBTree(s.kvindex)
	s.backend, s.touched, s.lost = slices.Clone(s.backend), slices.Clone(s.touched), slices.Clone(s.lost)
	s.changes, s.removed, s.forgotten, s.scan = nil, nil, nil, scanner{}
	s.versions, s.ranges, s.found = of.versions.Clone(), of.ranges.Clone(), of.found.Clone()
}

// Rev is the current revision; the step depends on it.
func (s *Store) Rev(env *sim.Env) int64 {
	env.ReadItem(CellRevision, 0, s.currentRev)
	return s.currentRev
}

// CurrentRev is the current revision, for observers.
func (s *Store) CurrentRev() int64 { return s.currentRev }

// CompactRev is the revision below which history is gone, 0 if none is.
func (s *Store) CompactRev() int64 { return max(0, s.compactMainRev) }

// ReadCompactRev is CompactRev; the step depends on it.
func (s *Store) ReadCompactRev(env *sim.Env) int64 {
	env.Read(CellCompactRev, 0)
	return s.CompactRev()
}

// last is the newest version of a key, tombstone or not, nil if the key is not
// in the index.
func (s *Store) last(key string) *version {
	if s.newest.last != nil && s.newest.key == key {
		return s.newest.last
	}
	ki, _ := s.kvindex.Get(keyIndex{key: key})
	return ki.last
}

// fingerprint covers everything that readers, watchers and restarts can see.
func (s *Store) fingerprint(d sim.Digest) sim.Digest {
	for ; s.digested < len(s.backend); s.digested++ {
		v := s.backend[s.digested]
		s.digest = v.kv.Digest(s.digest.Bool(v.tombstone))
	}
	d = d.Fold(s.digest).Int(int64(s.digested)).Int(s.currentRev).Int(s.compactMainRev).
		Int(s.scheduledCompact).Int(int64(s.kvindex.Len()))
	for _, v := range s.lost {
		d = v.kv.Digest(d.Text("lost"))
	}
	return d
}

// version is one change of one key: a value or a tombstone. Versions never
// change, so events, answers and clones share them.
type version struct {
	// kv is the key after the change; a tombstone has key and ModRevision only,
	// as the event of a deletion does.
	kv        wire.KeyValue
	tombstone bool
	// sub orders the changes of one transaction.
	sub int32
	// prev is the key's version before this one, nil if there is none or it was
	// compacted. A store that Forgets makes it nil.
	prev *version
}

// at is the version that a reader at rev sees, nil if the key does not exist
// then.
func (v *version) at(rev int64) *version {
	for v != nil && v.kv.ModRevision > rev {
		v = v.prev
	}
	if v == nil || v.tombstone {
		return nil
	}
	return v
}

// event is a change as watchers see it.
func (v *version) event() wire.Event {
	if v.tombstone {
		return wire.Event{Type: wire.Delete, Kv: &v.kv}
	}
	return wire.Event{Type: wire.Put, Kv: &v.kv}
}

// keyIndex is etcd's keyIndex: a key with its newest version, through which the
// older ones are reached.
type keyIndex struct {
	key  string
	last *version
}

func lessKey(a, b keyIndex) bool { return a.key < b.key }

// restore is store.restore: everything but the backend and the marks of
// compactions is made anew.
func (s *Store) restore(env *sim.Env) {
	before, keys := s.currentRev, s.kvindex.Len()
	env.Read(CellStore, 0)
	for _, v := range s.lost {
		env.WriteItem(CellStore, 0, v.kv.ModRevision)
	}
	forgotten := s.restoreIndex()
	s.restoreRevision(env)
	s.jobs.Clear(env)
	env.Disable(scheduleCompaction)
	env.Disarm(compactionSleep)
	if rev := s.scheduledCompact; rev != 0 && rev > s.compactMainRev && s.compact(rev) == 0 {
		env.Cover(coverCompactionResumed)
		s.jobs.Add(env, compactionJob{rev: rev})
		env.Enable(scheduleCompaction)
	}

	if s.kvindex.Len() != keys {
		env.Write(CellStore, 0)
	}
	env.LookAt(CellRevision, 0)
	if s.currentRev != before {
		env.Write(CellRevision, 0)
	}
	env.Write(CellCompactRev, 0)
	if s.currentRev < before {
		env.Cover(coverRevisionBack)
		restoredEarlier.Say(env, s.currentRev, before)
	} else {
		restored.Say(env, s.currentRev)
	}
	if forgotten != nil {
		tombstoneForgotten.Say(env, forgotten.kv.ModRevision, forgotten.kv.Key)
	}
}

// RollBack leaves of the backend what a backup of an earlier revision has, for the next process (etcdutl snapshot
// restore). The store begins at a revision from there on, and all that is older may be compacted.
func (s *Store) RollBack(env *sim.Env, to, begin int64, compacted bool) {
	env.Write(CellStore, 0)
	s.backend = s.backend[:s.search(uint64(to)+1)]
	s.digest, s.digested = sim.NewDigest, 0
	s.beginRev = begin
	if compacted {
		s.scheduledCompact = begin
	}
}

// OldestBackup is the earliest revision that a backup may have.
func (s *Store) OldestBackup() int64 { return max(s.beginRev, s.scheduledCompact, s.compactMainRev) }

// restoreIndex is restoreIntoIndex: the key index from the backend. It returns the last
// deletion that the index lacks, nil if it has all.
func (s *Store) restoreIndex() (forgotten *version) {
	s.kvindex.Clear(true)
	s.initial, s.touched = nil, s.touched[:0]
	s.newest = keyIndex{}
	// A transaction is open if the process has ended in it.
	s.backend = s.backend[:len(s.backend)-len(s.changes)]
	s.changes, s.lost, s.fatal = s.changes[:0], s.lost[:0], false
	s.currentRev = s.beginRev
	for i, old := range s.backend {
		s.currentRev = max(s.currentRev, old.kv.ModRevision)
		v := s.versions.New()
		*v = *old
		v.prev = s.last(v.kv.Key)
		s.backend[i] = v
		if v.prev == nil && v.tombstone && !s.opts.IndexesTombstones {
			forgotten = v
			continue
		}
		s.kvindex.ReplaceOrInsert(keyIndex{v.kv.Key, v})
	}
	return forgotten
}

// restoreRevision takes over what compactions have marked.
func (s *Store) restoreRevision(env *sim.Env) {
	s.compactMainRev = -1
	if finished := *s.finishedCompact.Look(env); finished > 0 {
		s.compactMainRev = finished
	}
	s.currentRev = max(s.currentRev, s.compactMainRev)
	if s.opts.RestoresScheduled {
		s.currentRev = max(s.currentRev, s.scheduledCompact)
	}
}
