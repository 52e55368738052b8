package mvcc

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// A write transaction begins with the first change and ends with WatchableStore.End.

// Put is storeTxnWrite.put, without what it tells the lessor.
func (s *Store) Put(key, value string, lease int64) {
	rev := s.currentRev + 1
	prev := s.last(key)
	v := s.versions.New()
	*v = version{
		kv:   wire.KeyValue{Key: key, Value: value, CreateRevision: rev, ModRevision: rev, Version: 1, Lease: lease},
		sub:  int32(len(s.changes)),
		prev: prev,
	}
	if prev != nil && !prev.tombstone {
		v.kv.CreateRevision, v.kv.Version = prev.kv.CreateRevision, prev.kv.Version+1
	}
	s.change(v)
}

// ChangedNow reports whether the write transaction that is open has changed a key that one of the compares looks at.
// Observers ask.
func (s *Store) ChangedNow(compares []wire.Compare) bool {
	return slices.ContainsFunc(s.changes, func(v *version) bool {
		return slices.ContainsFunc(compares, func(c wire.Compare) bool { return InRange(v.kv.Key, c.Key, c.RangeEnd) })
	})
}

// DeleteRange is storeTxnWrite.deleteRange; it returns how many keys it deleted.
func (s *Store) DeleteRange(env *sim.Env, key, end string) int64 {
	s.readsKeys(env, key, end)
	if end == "" {
		last := s.last(key)
		if last == nil || last.tombstone {
			return 0
		}
		s.delete(last)
		return 1
	}
	doomed, _ := s.visible(key, end, s.currentRev+1, math.MaxInt)
	n := int64(len(doomed))
	for _, v := range doomed {
		s.delete(v)
	}
	return n
}

func (s *Store) delete(last *version) {
	v := s.versions.New()
	*v = version{
		kv:        wire.KeyValue{Key: last.kv.Key, ModRevision: s.currentRev + 1},
		tombstone: true,
		sub:       int32(len(s.changes)),
		prev:      last,
	}
	s.change(v)
}

func (s *Store) change(v *version) {
	s.newest = keyIndex{v.kv.Key, v}
	s.kvindex.ReplaceOrInsert(s.newest)
	s.backend = append(s.backend, v)
	s.changes = append(s.changes, v)
	if s.initial != nil {
		if i, again := slices.BinarySearch(s.touched, v.kv.Key); !again {
			s.touched = slices.Insert(s.touched, i, v.kv.Key)
		}
	}
}

// Leases calls f for each change of the open transaction, with the lease that the key has
// after it, 0 for none.
func (s *Store) Leases(f func(key string, lease int64)) {
	for _, v := range s.changes {
		f(v.kv.Key, v.kv.Lease)
	}
}

// Changed reports whether the open transaction has changed something, so that its
// end makes a revision.
func (s *Store) Changed() bool { return len(s.changes) != 0 }

// end closes the write transaction: storeTxnWrite.End.
func (s *Store) end() {
	if len(s.changes) != 0 {
		s.currentRev++
	}
	s.changes = s.changes[:0]
}

// txnRev is the revision that a write transaction reads at: its own changes are
// visible to it.
func (s *Store) txnRev() int64 {
	if len(s.changes) != 0 {
		return s.currentRev + 1
	}
	return s.currentRev
}

// TxnRev is the revision at which the open transaction reads.
func (s *Store) TxnRev(env *sim.Env) int64 {
	if s.Changed() {
		return s.txnRev()
	}
	return s.Rev(env)
}
