package etcd

import (
	"slices"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

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
	// compacted.
	prev *version
}

// keyIndex is etcd's keyIndex: a key with its newest version, through which the
// older ones are reached.
type keyIndex struct {
	key  string
	last *version
}

func lessKey(a, b keyIndex) bool { return a.key < b.key }

// store is mvcc.store: the key index (treeIndex) over the changes by revision
// (the key bucket of the backend).
type store struct {
	kvindex *btree.BTreeG[keyIndex]
	// backend holds the changes that no compaction has deleted yet, by revision.
	backend []*version
	// currentRev is the revision of the last transaction that changed something.
	currentRev int64
	// compactMainRev is the revision below which nothing may be read; -1 as long
	// as there was no compaction.
	compactMainRev int64
	// scheduledCompact and finishedCompact are the marks that survive a crash.
	scheduledCompact, finishedCompact int64
	// beginRev is the revision that the store was created at.
	beginRev int64

	// newest is the entry of kvindex that was changed last: what is written is
	// often what is read next.
	newest keyIndex
	// changes are those of the write transaction that is open.
	changes []*version
	// removed are the versions that the last batch of a compaction took out of the
	// backend or the index.
	removed []*version
	// digest covers the first digested entries of backend.
	digest   sim.Digest
	digested int

	versions arena[version]
	scan     scanner
}

// degree suits a handful of keys, which is what schedules are explored with, as
// well as thousands.
const degree = 16

// base is a store that was filled once, for all schedules that begin with it.
type base struct {
	initial             []*wire.KeyValue
	revision, compacted int64
	store               store
}

func (b *base) holds(c *Config) bool {
	return b.revision == c.InitialRevision && b.compacted == c.Compacted && len(b.initial) == len(c.Initial) &&
		(len(b.initial) == 0 || &b.initial[0] == &c.Initial[0])
}

func (b *base) fill(c *Config) {
	*b = base{initial: c.Initial, revision: c.InitialRevision, compacted: c.Compacted}
	s := &b.store
	s.kvindex = btree.NewG(degree, lessKey)
	s.currentRev, s.beginRev = c.InitialRevision, c.InitialRevision
	s.compactMainRev = -1
	if c.Compacted > 0 {
		s.compactMainRev, s.scheduledCompact, s.finishedCompact = c.Compacted, c.Compacted, c.Compacted
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
}

// reset makes s the base again and keeps its memory.
func (s *store) reset(b *base) {
	if s.kvindex != nil {
		s.kvindex.Clear(true)
	}
	from := &b.store
	*s = store{
		kvindex: from.kvindex.Clone(), backend: append(s.backend[:0], from.backend...),
		currentRev: from.currentRev, compactMainRev: from.compactMainRev,
		scheduledCompact: from.scheduledCompact, finishedCompact: from.finishedCompact,
		beginRev: from.beginRev,
		changes:  s.changes[:0], removed: s.removed[:0], digest: sim.NewDigest, versions: s.versions, scan: s.scan,
	}
}

func (s *store) clone() store {
	c := *s
	c.kvindex = s.kvindex.Clone()
	c.backend = slices.Clone(s.backend)
	c.changes, c.removed = nil, nil
	c.versions = arena[version]{}
	c.scan = scanner{}
	return c
}

// last is the newest version of a key, tombstone or not, nil if the key is not
// in the index.
func (s *store) last(key string) *version {
	if s.newest.last != nil && s.newest.key == key {
		return s.newest.last
	}
	ki, _ := s.kvindex.Get(keyIndex{key: key})
	return ki.last
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

// put is storeTxnWrite.put.
func (s *store) put(key, value string) {
	rev := s.currentRev + 1
	prev := s.last(key)
	v := s.versions.new()
	*v = version{
		kv:   wire.KeyValue{Key: key, Value: value, CreateRevision: rev, ModRevision: rev, Version: 1},
		sub:  int32(len(s.changes)),
		prev: prev,
	}
	if prev != nil && !prev.tombstone {
		v.kv.CreateRevision, v.kv.Version = prev.kv.CreateRevision, prev.kv.Version+1
	}
	s.change(v)
}

// deleteRange is storeTxnWrite.deleteRange; it returns how many keys it deleted.
func (s *store) deleteRange(key, end string) int64 {
	if end == "" {
		last := s.last(key)
		if last == nil || last.tombstone {
			return 0
		}
		s.delete(last)
		return 1
	}
	doomed := s.visible(key, end, s.currentRev+1)
	n := int64(len(doomed))
	for _, v := range doomed {
		s.delete(v)
	}
	return n
}

func (s *store) delete(last *version) {
	v := s.versions.new()
	*v = version{
		kv:        wire.KeyValue{Key: last.kv.Key, ModRevision: s.currentRev + 1},
		tombstone: true,
		sub:       int32(len(s.changes)),
		prev:      last,
	}
	s.change(v)
}

func (s *store) change(v *version) {
	s.newest = keyIndex{v.kv.Key, v}
	s.kvindex.ReplaceOrInsert(s.newest)
	s.backend = append(s.backend, v)
	s.changes = append(s.changes, v)
}

// end closes the write transaction: storeTxnWrite.End.
func (s *store) end() {
	if len(s.changes) != 0 {
		s.currentRev++
	}
	s.changes = s.changes[:0]
}

// txnRev is the revision that a write transaction reads at: its own changes are
// visible to it.
func (s *store) txnRev() int64 {
	if len(s.changes) != 0 {
		return s.currentRev + 1
	}
	return s.currentRev
}

// rangeKeys is storeTxnRead.rangeKeys with what applierV3backend.Range makes of
// it. curRev is the revision of the transaction that reads.
func (s *store) rangeKeys(r *wire.RangeRequest, curRev int64) (*wire.RangeResponse, wire.Code) {
	rev := r.Revision
	if rev > curRev {
		return nil, wire.ErrFutureRev
	}
	if rev <= 0 {
		rev = curRev
	}
	if rev < s.compactMainRev {
		return nil, wire.ErrCompacted
	}
	found := s.visible(r.Key, r.RangeEnd, rev)
	resp := &wire.RangeResponse{Revision: curRev, Count: int64(len(found))}
	if r.CountOnly {
		return resp, 0
	}
	if r.Limit > 0 && int64(len(found)) > r.Limit {
		found, resp.More = found[:r.Limit], true
	}
	if len(found) == 0 {
		return resp, 0
	}
	resp.Kvs = make([]*wire.KeyValue, len(found))
	for i, v := range found {
		resp.Kvs[i] = &v.kv
		if r.KeysOnly {
			bare := v.kv
			bare.Value = ""
			resp.Kvs[i] = &bare
		}
	}
	return resp, 0
}

// visible lists the versions of a range that a reader at rev sees, in key
// order. The list is valid until the next call.
func (s *store) visible(key, end string, rev int64) []*version {
	sc := &s.scan
	sc.rev, sc.found = rev, sc.found[:0]
	switch end {
	case "":
		if v := s.last(key).at(rev); v != nil {
			sc.found = append(sc.found, v)
		}
	case "\x00":
		s.kvindex.AscendGreaterOrEqual(keyIndex{key: key}, sc.visitor())
	default:
		s.kvindex.AscendRange(keyIndex{key: key}, keyIndex{key: end}, sc.visitor())
	}
	return sc.found
}

// scanner collects what a walk over the index finds. The function that the walk
// calls is made once: a closure for each walk would be an allocation for each.
type scanner struct {
	rev   int64
	found []*version
	visit btree.ItemIteratorG[keyIndex]
	owner *scanner
}

func (sc *scanner) visitor() btree.ItemIteratorG[keyIndex] {
	if sc.owner != sc {
		sc.owner = sc
		sc.visit = func(ki keyIndex) bool {
			if v := ki.last.at(sc.rev); v != nil {
				sc.found = append(sc.found, v)
			}
			return true
		}
	}
	return sc.visit
}

// rangeEvents is watchableStore.rangeEvents: the changes in [minRev, maxRev).
// Revisions are compared as the unsigned numbers that they are in the backend,
// where a negative one lies behind all others.
func (s *store) rangeEvents(minRev, maxRev int64) []*version {
	return s.backend[s.search(uint64(minRev)):max(s.search(uint64(minRev)), s.search(uint64(maxRev)))]
}

// search is the position of the first change at or after a revision.
func (s *store) search(rev uint64) int {
	i, j := 0, len(s.backend)
	for i < j {
		h := (i + j) / 2
		if uint64(s.backend[h].kv.ModRevision) < rev {
			i = h + 1
		} else {
			j = h
		}
	}
	return i
}

// fingerprint covers everything that readers, watchers and restarts can see.
func (s *store) fingerprint(d sim.Digest) sim.Digest {
	for ; s.digested < len(s.backend); s.digested++ {
		v := s.backend[s.digested]
		s.digest = v.kv.Digest(s.digest.Bool(v.tombstone))
	}
	return d.Word(uint64(s.digest)).Int(int64(s.digested)).Int(s.currentRev).Int(s.compactMainRev).
		Int(s.scheduledCompact).Int(s.finishedCompact).Int(int64(s.kvindex.Len()))
}
