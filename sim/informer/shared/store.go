package shared

import (
	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// degree of the trees. client-go has maps, whose order has no meaning.
const degree = 16

func newStore() *btree.BTreeG[*wire.KeyValue] {
	return btree.NewG(degree, func(a, b *wire.KeyValue) bool { return a.Key < b.Key })
}

// apply puts a batch into the store, and finds out what handlers are told. What there was before
// is looked up before the first delta is applied: processDeltasInBatch with one transaction.
func (s *Informer) apply(env *sim.Env) {
	l := &s.loop
	l.tell = l.tell[:0]
	for i := range l.batch {
		s.tellOf(env, &l.batch[i])
	}
	for i := range l.batch {
		s.storeOne(env, &l.batch[i])
	}
}

// tellOf adds what a delta makes of the store to what handlers are told.
func (s *Informer) tellOf(env *sim.Env, d *delta) {
	env.ReadsItem(cellQueue, 0, d.version)
	l := &s.loop
	switch d.kind {
	case bookmark:
	case resyncedAll:
		env.Cover(resyncProcessed)
		env.Reads(cellStore, 0)
		s.store.Ascend(func(kv *wire.KeyValue) bool {
			l.tell = append(l.tell, Notification{Kind: Updated, Old: kv, New: kv})
			return true
		})
	case replacedAll:
		env.Reads(cellStore, 0)
		s.tellOfList(env, d)
	case deleted:
		l.tell = append(l.tell, Notification{Kind: Deleted, Old: d.object})
	default:
		env.Reads(cellStore, 0)
		s.tellOfObject(d.object, d.kind == replaced)
	}
}

func (s *Informer) tellOfObject(kv *wire.KeyValue, listed bool) {
	n := Notification{Kind: Added, New: kv, Initial: s.loop.initial}
	if old, exists := s.store.Get(kv); exists {
		n = Notification{Kind: Updated, Old: old, New: kv}
	}
	n.asResync = listed && s.cfg.RelistsAsResync
	s.loop.tell = append(s.loop.tell, n)
}

// tellOfList is processReplacedAllInfo: what is gone comes first.
func (s *Informer) tellOfList(env *sim.Env, d *delta) {
	listed := newStore()
	for _, kv := range d.objects {
		listed.ReplaceOrInsert(kv)
	}
	s.store.Ascend(func(kv *wire.KeyValue) bool {
		if _, exists := listed.Get(kv); !exists {
			env.Cover(goneFromList)
			if s.cfg.DropsTombstones {
				return true
			}
			s.loop.tell = append(s.loop.tell, Notification{Kind: Deleted, Old: kv})
		}
		return true
	})
	for _, kv := range d.objects {
		s.tellOfObject(kv, true)
	}
}

// storeOne puts one delta into the store.
func (s *Informer) storeOne(env *sim.Env, d *delta) {
	switch d.kind {
	case resyncedAll:
		return
	case bookmark:
		env.Cover(bookmarkProcessed)
	case replacedAll:
		env.Writes(cellStore, 0)
		s.store.Clear(true)
		for _, kv := range d.objects {
			s.store.ReplaceOrInsert(kv)
		}
	case deleted:
		env.WritesItem(cellStore, 0, d.version)
		s.store.Delete(d.object)
	default:
		env.WritesItem(cellStore, 0, d.version)
		s.store.ReplaceOrInsert(d.object)
	}
	s.changes++
	if d.version != 0 {
		env.Writes(cellVersion, 0)
		s.version = d.version
	}
}
