package shared

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// fifo is RealFIFO.
type fifo struct {
	items []delta
	// locked: its lock is held while a batch is processed. resyncWaits: a resync waits for it.
	locked, resyncWaits bool
	// populated: the first list has come. initial is how many of its deltas have not been
	// processed, synced that there are none.
	populated, synced bool
	initial           int
}

// Locked reports whether a Reflector that delivers would have to wait.
func (s *Informer) Locked() bool { return s.fifo.Value().locked }

// Deliver takes an event or bookmark of a watch.
func (s *Informer) Deliver(env *sim.Env, e *wire.WatchEvent) {
	d := deltaOf(e)
	if d.kind == bookmark && s.cfg.Replace != ReplaceAtomic {
		return
	}
	s.push(env, d)
}

// Replace takes a list of a resourceVersion.
func (s *Informer) Replace(env *sim.Env, objects []*wire.KeyValue, version int64) {
	if s.cfg.Replace == ReplaceAtomic {
		s.push(env, delta{kind: replacedAll, objects: objects, version: version})
	} else {
		for _, d := range s.replacements(env, objects) {
			s.push(env, d)
		}
	}
	if !s.fifo.Value().populated {
		f := s.fifo.Change(env)
		f.populated, f.initial, s.version.Change(env).first = true, len(f.items), version
		s.checkSynced(env)
	}
}

// replacements is reconcileReplacement: what is gone is deleted, then each object of the list
// replaces what there was.
func (s *Informer) replacements(env *sim.Env, objects []*wire.KeyValue) []delta {
	store, items := s.store.Read(env), s.fifo.Read(env).items
	var list, replacing []delta
	// last is empty if the queue does not count.
	last := map[string]int{}
	if s.cfg.Replace != ReplaceOneByOneStored {
		for i := range items {
			last[items[i].object.Key] = i
		}
	}
	listed := map[string]bool{}
	for _, kv := range objects {
		listed[kv.Key] = true
	}
	for i := range items {
		d := &items[i]
		if at, counts := last[d.object.Key]; counts && at == i && !listed[d.object.Key] && d.kind != deleted {
			list = append(list, delta{kind: deleted, object: d.object})
		}
	}
	store.Ascend(func(kv *wire.KeyValue) bool {
		if _, queued := last[kv.Key]; !queued && !listed[kv.Key] {
			list = append(list, delta{kind: deleted, object: kv})
		}
		return true
	})
	for _, kv := range objects {
		replacing = append(replacing, delta{kind: replaced, object: kv, version: kv.ModRevision})
	}
	if s.cfg.Members == BatchOfObject {
		return append(replacing, list...)
	}
	return append(list, replacing...)
}

// queueResync is RealFIFO.Resync.
func (s *Informer) queueResync(env *sim.Env) {
	atomic := s.cfg.Replace == ReplaceAtomic
	if atomic && !s.cfg.ResyncTakesQueued {
		s.push(env, delta{kind: resyncedAll})
		return
	}
	store, items := s.store.Read(env), s.fifo.Read(env).items
	queued := map[string]bool{}
	for i := range items {
		if d := &items[i]; !atomic && d.ofOne() {
			queued[d.object.Key] = true
		}
	}
	store.Ascend(func(kv *wire.KeyValue) bool {
		if !queued[kv.Key] {
			s.push(env, delta{kind: resynced, object: kv, version: kv.ModRevision})
		}
		return true
	})
}

func (s *Informer) push(env *sim.Env, d delta) {
	f := s.fifo.ChangeItem(env, d.version)
	f.items = append(f.items, d)
	if s.loop.Look(env).at == idle {
		env.Enable(TaskProcess)
	}
}

// take is PopBatch up to the processing.
func (s *Informer) take(env *sim.Env) bool {
	f, l := s.fifo.Change(env), s.loop.Value()
	if len(f.items) == 0 {
		return false
	}
	l.initial = !f.synced
	l.batch = l.batch[:0]
	if s.cfg.Members == BatchOfObject {
		s.takeObject(env)
		return true
	}
	lost := 0
	for i := 0; i < s.cfg.batch() && i < len(f.items) && (f.initial == 0 || i < f.initial); i++ {
		d := f.items[i]
		if !d.ofOne() {
			if i == 0 {
				l.batch = append(l.batch, d)
			}
			break
		}
		repeated := slices.ContainsFunc(l.batch, func(other delta) bool { return other.object.Key == d.object.Key })
		if !repeated || s.cfg.Members == BatchAny {
			l.batch = append(l.batch, d)
			continue
		}
		if s.cfg.Members == BatchWithoutLast {
			lost++
		}
		env.Cover(repeatedInBatch)
		break
	}
	if len(l.batch) > 1 {
		env.Cover(batched)
	}
	l.taken = len(l.batch) + lost
	f.items = slices.Delete(f.items, 0, l.taken)
	if s.cfg.CountsTaken {
		s.countDown(env)
	}
	if s.cfg.Locked || len(f.items) >= 2*s.cfg.batch() || s.cfg.Replace != ReplaceAtomic {
		env.Cover(processedLocked)
		f.locked = true
	}
	return true
}

// takeObject is DeltaFIFO.Pop up to the processing. It counts objects, and not deltas.
func (s *Informer) takeObject(env *sim.Env) {
	f, l := s.fifo.Value(), s.loop.Value()
	key := f.items[0].object.Key
	for _, d := range f.items {
		if d.object.Key == key {
			l.batch = append(l.batch, d)
		}
	}
	f.items = slices.DeleteFunc(f.items, func(d delta) bool { return d.object.Key == key })
	if len(l.batch) > 1 {
		env.Cover(batched)
	}
	f.locked, l.taken = true, 1
}

// countDown takes the batch off what the first list has brought.
func (s *Informer) countDown(env *sim.Env) {
	if s.fifo.Value().initial > 0 {
		s.fifo.Change(env).initial -= s.loop.Value().taken
		s.checkSynced(env)
	}
}

func (s *Informer) checkSynced(env *sim.Env) {
	if f := s.fifo.Value(); f.populated && f.initial == 0 && !f.synced {
		f.synced = true
		env.Enable(TaskSynced)
	}
}

// unlock lets the Reflector deliver, and a resync that waits.
func (s *Informer) unlock(env *sim.Env) {
	f := s.fifo.Change(env)
	f.locked = false
	if f.resyncWaits {
		f.resyncWaits = false
		env.Enable(TaskResync)
	}
}

// deltaKind is what a delta of the queue says (DeltaType).
type deltaKind uint8

const (
	added deltaKind = iota
	updated
	deleted
	// replaced is an object of a list, resynced one of a resync, if these are not one delta each.
	replaced
	resynced
	// replacedAll is a list, resyncedAll a resync, bookmark a resourceVersion.
	replacedAll
	resyncedAll
	bookmark
)

var deltaNames = [...]string{"Added", "Updated", "Deleted", "Replaced", "Sync", "ReplacedAll", "SyncAll", "Bookmark"}

// delta is an entry of the queue.
type delta struct {
	kind deltaKind
	// object is the one that it is about, nil if it is about all.
	object *wire.KeyValue
	// version is the resourceVersion that the store has afterwards; 0 leaves it, as a deletion does
	// whose last state is not known (DeletedFinalStateUnknown).
	version int64
	// objects are those of a list.
	objects []*wire.KeyValue
}

// ofOne reports whether it may be in a batch.
func (d *delta) ofOne() bool { return d.object != nil }

// deltaOf is that of an event of a watch.
func deltaOf(e *wire.WatchEvent) delta {
	d := delta{object: e.Item, version: e.ResourceVersion}
	switch e.Type {
	case wire.Added:
		d.kind = added
	case wire.Modified:
		d.kind = updated
	case wire.Deleted:
		d.kind = deleted
	default:
		d.kind, d.object = bookmark, nil
	}
	return d
}
