package mvcc

import (
	"cmp"
	"math"
	"slices"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Range is storeTxnRead.rangeKeys with what applierV3backend.Range makes of it. It
// reads at the revision of the open transaction, if there is one.
func (s *Store) Range(env *sim.Env, r *wire.RangeRequest) (*wire.RangeResponse, wire.Code) {
	resp, code := s.rangeKeys(env, r, s.txnRev())
	s.readsRange(env, r, resp)
	return resp, code
}

func (s *Store) rangeKeys(env *sim.Env, r *wire.RangeRequest, curRev int64) (*wire.RangeResponse, wire.Code) {
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
	resp := s.ranges.New()
	resp.Revision = curRev
	if s.initial != nil {
		resp.Know(&s.initial.Initial)
	}
	if r.HashOnly {
		found, total := s.visible(r.Key, r.RangeEnd, rev, math.MaxInt)
		hash := wire.NewRangeHash
		for _, v := range found {
			hash = hash.Key(v.kv.Key, v.kv.ModRevision)
		}
		resp.Count, resp.Hash = int64(total), int64(hash)
		return resp, 0
	}
	if in, known := s.unchanged(r, rev); known {
		resp.Count = int64(len(in))
		switch {
		case r.CountOnly || len(in) == 0:
		case r.Limit > 0 && resp.Count > r.Limit:
			resp.Kvs, resp.More = in[:r.Limit:r.Limit], true
		default:
			resp.Kvs = in
		}
		return resp, 0
	}
	found, total := s.visible(r.Key, r.RangeEnd, rev, most(r))
	resp.Count = int64(total)
	if r.CountOnly {
		return resp, 0
	}
	if !r.KeysOnly || r.SortTarget == wire.SortByValue || !s.opts.KeysFromIndex {
		s.fetch(env, found[:min(len(found), most(r))]...)
	}
	found = pick(r, found)
	if r.Limit > 0 && int64(len(found)) > r.Limit {
		found, resp.More = found[:r.Limit], true
	}
	if len(found) == 0 {
		return resp, 0
	}
	resp.Kvs = s.found.Take(len(found))
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

// fetch takes from the backend what the index has found. etcd exits if it is not there ("range failed to find revision
// pair").
func (s *Store) fetch(env *sim.Env, found ...*version) {
	for _, v := range s.lost {
		if slices.Contains(found, v) {
			s.fatal = true
			env.Crash([]sim.NodeID{env.Self()})
			pairMissing.Say(env, v.kv.ModRevision, v.kv.Key)
			return
		}
	}
}

// Lost visits the keys of which a new process knows nothing, although this one does.
func (s *Store) Lost(visit func(key string)) {
	for _, v := range s.lost {
		if s.last(v.kv.Key) == v {
			visit(v.kv.Key)
		}
	}
}

// Fatal reports whether the process ends with the present step. What the step has done of a transaction is void.
func (s *Store) Fatal() bool { return s.fatal }

// unchanged are the key-values of a range in which nothing has changed since the store
// began, if that is certain, and if they are the answer: all stores that began with them
// share them.
func (s *Store) unchanged(r *wire.RangeRequest, rev int64) (kvs []*wire.KeyValue, known bool) {
	if s.initial == nil || rev < s.beginRev || r.RangeEnd == "" || !r.CountOnly && (r.KeysOnly || !isPlain(r)) {
		return nil, false
	}
	if from, to := s.touchedWithin(r.Key, r.RangeEnd); from != to {
		return nil, false
	}
	from, to := s.initial.Within(r.Key, r.RangeEnd)
	return s.initial.Kvs[from:to:to], true
}

// touchedWithin are the places of the touched keys in a range that has an end.
func (s *Store) touchedWithin(key, end string) (from, to int) {
	from, _ = slices.BinarySearch(s.touched, key)
	to = len(s.touched)
	if end != "\x00" {
		to, _ = slices.BinarySearch(s.touched, end)
	}
	return from, max(from, to)
}

// isPlain reports whether a Range asks for all versions, in the order of the keys.
func isPlain(r *wire.RangeRequest) bool {
	return !r.IsFiltered() && !r.IsSorted()
}

// most is how many of the first versions of a range pick needs.
func most(r *wire.RangeRequest) int {
	switch {
	case r.CountOnly:
		return 0
	case r.Limit > 0 && r.Limit < math.MaxInt && r.SortOrder == wire.SortNone && !r.IsFiltered():
		return int(r.Limit) + 1
	}
	return math.MaxInt
}

// pick leaves those of the versions that a Range asks for, in the order in which it asks for them: rangeLimit,
// filterRangeResults and sortRangeResults. A field to sort by without an order is ascending, and then a limited Range
// sorts what the limit and one more have left. slices.SortFunc swaps what upstream's sort.Sort does: both are the
// pattern-defeating quicksort that Go has had since 1.19, not stable for more than twelve. A server that an older Go
// has built may list equal ones in another order.
func pick(r *wire.RangeRequest, found []*version) []*version {
	found = found[:min(len(found), most(r))]
	kept := slices.DeleteFunc(found, func(v *version) bool {
		return r.MaxModRevision != 0 && v.kv.ModRevision > r.MaxModRevision ||
			v.kv.ModRevision < r.MinModRevision ||
			r.MaxCreateRevision != 0 && v.kv.CreateRevision > r.MaxCreateRevision ||
			v.kv.CreateRevision < r.MinCreateRevision
	})
	if !r.IsSorted() {
		return kept
	}
	slices.SortFunc(kept, func(a, b *version) int {
		if r.SortOrder == wire.SortDescend {
			a, b = b, a
		}
		return orders[r.SortTarget](&a.kv, &b.kv)
	})
	return kept
}

var orders = [...]func(a, b *wire.KeyValue) int{
	wire.SortByKey:     func(a, b *wire.KeyValue) int { return cmp.Compare(a.Key, b.Key) },
	wire.SortByVersion: func(a, b *wire.KeyValue) int { return cmp.Compare(a.Version, b.Version) },
	wire.SortByCreate:  func(a, b *wire.KeyValue) int { return cmp.Compare(a.CreateRevision, b.CreateRevision) },
	wire.SortByMod:     func(a, b *wire.KeyValue) int { return cmp.Compare(a.ModRevision, b.ModRevision) },
	wire.SortByValue:   func(a, b *wire.KeyValue) int { return cmp.Compare(a.Value, b.Value) },
}

// CanRead says why a transaction cannot read at a past revision, 0 if it can.
func (s *Store) CanRead(env *sim.Env, rev int64) wire.Code {
	env.LookAt(CellCompactRev, 0)
	switch {
	case rev > s.Rev(env):
		return wire.ErrFutureRev
	case rev < s.compactMainRev:
		return wire.ErrCompacted
	}
	return 0
}

// Compared are what a compare sees: the key-values of a range, in key order.
func (s *Store) Compared(env *sim.Env, key, end string) []*wire.KeyValue {
	s.readsKeys(env, key, end)
	visible, _ := s.visible(key, end, s.txnRev(), math.MaxInt)
	s.fetch(env, visible...)
	kvs := s.found.Take(len(visible))
	for i, v := range visible {
		kvs[i] = &v.kv
	}
	return kvs
}

// Before is the value that a key had before a revision. It is nil if the key did
// not exist; compacted reports that this is no longer known.
func (s *Store) Before(env *sim.Env, key string, rev int64) (kv *wire.KeyValue, compacted bool) {
	env.LookAt(CellStore, 0)
	env.LookAt(CellCompactRev, 0)
	if rev-1 < s.compactMainRev {
		env.Read(CellCompactRev, 0)
		return nil, true
	}
	v := s.last(key).at(rev - 1)
	if v == nil {
		return nil, false
	}
	s.fetch(env, v)
	// No story follows it: which value it was matters for selective watchers only.
	return &v.kv, false
}

// visible lists the versions of a range that a reader at rev sees, in key order, or so many
// of the first ones at least, and says how many there are. The list is valid until the next
// call.
func (s *Store) visible(key, end string, rev int64, most int) (found []*version, total int) {
	sc := &s.scan
	sc.rev, sc.found = rev, sc.found[:0]
	switch {
	case end == "":
		if v := s.last(key).at(rev); v != nil {
			sc.found = append(sc.found, v)
		}
	case s.initial != nil && rev >= s.beginRev:
		return s.merge(key, end, rev, most)
	case end == "\x00":
		s.kvindex.AscendGreaterOrEqual(keyIndex{key: key}, sc.visitor())
	default:
		s.kvindex.AscendRange(keyIndex{key: key}, keyIndex{key: end}, sc.visitor())
	}
	return sc.found, len(sc.found)
}

// merge is visible for a store that knows which keys have changed since it began, and a
// revision since then: the other keys have their initial values.
func (s *Store) merge(key, end string, rev int64, most int) (found []*version, total int) {
	sc, in := &s.scan, s.initial
	from, to := in.Within(key, end)
	total = to - from
	first, last := s.touchedWithin(key, end)
	for _, key := range s.touched[first:last] {
		at := in.Search(key)
		if len(sc.found) < most {
			same := min(at-from, most-len(sc.found))
			sc.found = append(sc.found, in.versions[from:from+same]...)
			from = at
		}
		if at < to && in.Kvs[at].Key == key {
			total--
			from = max(from, at+1)
		}
		if v := s.last(key).at(rev); v != nil {
			total++
			sc.found = append(sc.found, v)
		}
	}
	if most > len(sc.found) {
		sc.found = append(sc.found, in.versions[from:from+min(to-from, most-len(sc.found))]...)
	}
	return sc.found, total
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
func (s *Store) rangeEvents(minRev, maxRev int64) []*version {
	from := s.search(uint64(minRev))
	return s.backend[from:max(from, s.search(uint64(maxRev)))]
}

// Changes visits the changes of a revision in order.
func (s *Store) Changes(rev int64, visit func(kv *wire.KeyValue, deleted bool)) {
	for _, v := range s.rangeEvents(rev, rev+1) {
		visit(&v.kv, v.tombstone)
	}
}

// Stored visits the changes that no compaction has removed, in order. sub numbers those of one revision.
func (s *Store) Stored(visit func(kv *wire.KeyValue, sub int32, deleted bool)) {
	for _, v := range s.backend {
		visit(&v.kv, v.sub, v.tombstone)
	}
}

// search is the position of the first change at or after a revision.
func (s *Store) search(rev uint64) int {
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

// readsKeys declares that the step depends on what is at a key, or in a range.
func (s *Store) readsKeys(env *sim.Env, key, end string) {
	if !env.Recording() {
		return
	}
	env.LookAt(CellStore, 0)
	switch v := s.last(key); {
	case end != "":
		env.Read(CellStore, 0)
	case v != nil:
		env.ReadItem(CellStore, 0, v.kv.ModRevision)
	}
}

// readsRange declares what the answer to a Range depends on; a refusal, which is
// nil, depends on the compaction.
func (s *Store) readsRange(env *sim.Env, r *wire.RangeRequest, resp *wire.RangeResponse) {
	if !env.Recording() {
		return
	}
	s.Rev(env)
	env.LookAt(CellCompactRev, 0)
	env.LookAt(CellStore, 0)
	if resp == nil {
		env.Read(CellCompactRev, 0)
		return
	}
	if r.HashOnly {
		env.Read(CellStore, 0)
	}
	for _, kv := range resp.Kvs {
		env.ReadItem(CellStore, 0, kv.ModRevision)
	}
	if r.RangeEnd == "" && len(resp.Kvs) == 0 {
		s.readsKeys(env, r.Key, "")
	}
}
