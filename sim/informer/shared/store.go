package shared

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// apply puts a batch into the store, and finds out what handlers are told. What there was before
// is looked up before the first delta is applied: processDeltasInBatch with one transaction.
func (s *Informer) apply(env *sim.Env) {
	l := s.loop.Value()
	deltas := l.batch
	if s.cfg.Members == BatchOfObject {
		deltas = deltas[:1]
	}
	for i := range deltas {
		s.tellOf(env, &deltas[i])
	}
	for i := range deltas {
		s.storeOne(env, &deltas[i])
	}
	processed.Say(env, batch{len(deltas), deltas[0].kind}, s.Version(), sim.Counted{N: len(l.tell), Thing: "change"})
	l.batch = slices.Delete(l.batch, 0, len(deltas))
}

// tellOf adds what a delta makes of the store to what handlers are told.
func (s *Informer) tellOf(env *sim.Env, d *delta) {
	s.fifo.ReadItem(env, d.version)
	l := s.loop.Value()
	switch d.kind {
	case bookmark:
	case resyncedAll:
		env.Cover(resyncProcessed)
		s.store.Read(env).Ascend(func(kv *wire.KeyValue) bool {
			l.tell = append(l.tell, Notification{Kind: Updated, Old: kv, New: kv})
			return true
		})
	case replacedAll:
		s.tellOfList(env, d)
	case deleted:
		l.tell = append(l.tell, Notification{Kind: Deleted, Old: d.object})
	default:
		s.tellOfObject(env, d.object, d.kind == replaced)
	}
}

func (s *Informer) tellOfObject(env *sim.Env, kv *wire.KeyValue, listed bool) {
	l := s.loop.Value()
	n := Notification{Kind: Added, New: kv, Initial: l.initial}
	if old, exists := s.store.Read(env).Get(kv); exists {
		n = Notification{Kind: Updated, Old: old, New: kv}
	}
	n.asResync = listed && s.cfg.RelistsAsResync
	l.tell = append(l.tell, n)
}

// tellOfList is processReplacedAllInfo: what is gone comes first.
func (s *Informer) tellOfList(env *sim.Env, d *delta) {
	l, listed := s.loop.Value(), objects{}
	for _, kv := range d.objects {
		listed.Put(kv)
	}
	s.store.Read(env).Ascend(func(kv *wire.KeyValue) bool {
		if _, exists := listed.Get(kv); !exists {
			env.Cover(goneFromList)
			if s.cfg.DropsTombstones {
				return true
			}
			l.tell = append(l.tell, Notification{Kind: Deleted, Old: kv})
		}
		return true
	})
	for _, kv := range d.objects {
		s.tellOfObject(env, kv, true)
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
		store := s.store.Change(env)
		store.Clear()
		for _, kv := range d.objects {
			store.Put(kv)
		}
	case deleted:
		s.store.ChangeItem(env, d.version).Delete(d.object)
	default:
		s.store.ChangeItem(env, d.version).Put(d.object)
	}
	s.changes++
	if d.version != 0 {
		s.version.Change(env).last = d.version
	}
}
