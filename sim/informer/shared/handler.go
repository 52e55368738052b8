package shared

import (
	"slices"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Kind is what a handler is told of an object.
type Kind uint8

const (
	// Added: there is one that was not there.
	Added Kind = iota + 1
	// Updated: it has changed, or is told again.
	Updated
	// Deleted: it is not there any more.
	Deleted
)

// Notification is one call of a handler: OnAdd, OnUpdate or OnDelete.
type Notification struct {
	Kind     Kind
	Old, New *wire.KeyValue
	// Initial is isInInitialList.
	Initial bool
	// asResync: it is told to handlers that take part in a resync only, whatever has changed.
	asResync bool
}

// Object is the one that it is about.
func (n *Notification) Object() *wire.KeyValue {
	if n.New != nil {
		return n.New
	}
	return n.Old
}

// Resyncs reports whether an object is told that has not changed.
func (n *Notification) Resyncs() bool {
	return n.Kind == Updated && n.Old.ModRevision == n.New.ModRevision
}

func (n *Notification) digest(d sim.Digest) sim.Digest {
	d = d.Word(uint64(n.Kind)).Bool(n.Initial).Bool(n.asResync)
	for _, kv := range [...]*wire.KeyValue{n.Old, n.New} {
		if kv != nil {
			d = kv.Digest(d)
		}
	}
	return d
}

// Handler is a handler with its processorListener.
type Handler struct {
	// asks is the resync period that the handler asks for, period the one that it gets, 0 for none; resynced
	// is when that was last over.
	asks, period sim.Duration
	resynced     sim.Time
	// registered: it is among the listeners. started: its goroutines run. syncing: it takes part
	// in the resync that is under way.
	registered, started, syncing bool
	// added: AddEventHandler has returned. removed: it is not among the listeners any more.
	added, removed bool
	// watches: the goroutine watchSynced waits. upstream: it has learned that the informer has
	// synced. count is how many notifications of the first list have not been handled.
	watches, upstream bool
	count             int
	synced            bool
	pending           []Notification

	// objects is what the handler makes of what it is told, heard the newest state of every object that it
	// was ever told of.
	objects, heard *btree.BTreeG[*wire.KeyValue]
	// last is the last notification, had what the handler had of its object before, told how many
	// there were.
	last Notification
	had  *wire.KeyValue
	told int
	// fresh is the key of the last notification, until TakeTold.
	fresh string
	// joined is the resourceVersion of the store when the handler was listed what there is, 0 if
	// it was empty.
	joined int64
}

// Listens reports whether the handler has been added, and not removed.
func (h *Handler) Listens() bool { return h.added && h.registered }

// Removed reports whether it was removed.
func (h *Handler) Removed() bool { return h.removed }

// HasSynced is that of its registration.
func (h *Handler) HasSynced() bool { return h.synced }

// Period is how often the handler asks for a resync, 0 for never.
func (h *Handler) Period() sim.Duration { return h.asks }

// Pending is how many notifications wait for the handler.
func (h *Handler) Pending() int { return len(h.pending) }

// Told is how many notifications it has handled, Last the last of them, and Had what it had of
// the same object before; nil if it had none.
func (h *Handler) Told() int           { return h.told }
func (h *Handler) Last() Notification  { return h.last }
func (h *Handler) Had() *wire.KeyValue { return h.had }
func (h *Handler) Len() int            { return h.objects.Len() }
func (h *Handler) Joined() int64       { return h.joined }

// Ascend calls f for the objects that the handler has been told of and that are not deleted, in
// key order, until f returns false.
func (h *Handler) Ascend(f func(*wire.KeyValue) bool) { h.objects.Ascend(f) }

// Get is what the handler has of a key, nil if it has nothing.
func (h *Handler) Get(key string) *wire.KeyValue {
	kv, _ := h.objects.Get(&wire.KeyValue{Key: key})
	return kv
}

// TakeTold is the key of what the handler was told in the present step, empty if it was told nothing.
func (h *Handler) TakeTold() string {
	key := h.fresh
	h.fresh = ""
	return key
}

// Heard is the newest state of an object that the handler was told of, deleted or not; nil if it was told of none.
func (h *Handler) Heard(key string) *wire.KeyValue {
	kv, _ := h.heard.Get(&wire.KeyValue{Key: key})
	return kv
}

func (h *Handler) clone() *Handler {
	c := *h
	c.pending = slices.Clone(h.pending)
	c.objects, c.heard = h.objects.Clone(), h.heard.Clone()
	return &c
}

func (h *Handler) digest() sim.Digest {
	d := sim.NewDigest.Int(int64(h.resynced)).Bool(h.registered).Bool(h.started).Bool(h.syncing).Bool(h.added).Bool(h.removed)
	d = d.Bool(h.watches).Bool(h.upstream).Int(int64(h.count)).Bool(h.synced).Int(h.joined)
	for i := range h.pending {
		d = h.pending[i].digest(d)
	}
	for _, tree := range [...]*btree.BTreeG[*wire.KeyValue]{h.objects, h.heard} {
		d = d.Int(int64(tree.Len()))
		tree.Ascend(func(kv *wire.KeyValue) bool {
			d = kv.Digest(d)
			return true
		})
	}
	return h.last.digest(d)
}

// add is processorListener.add: pop keeps the notification for run.
func (s *Informer) add(env *sim.Env, i int, n Notification) {
	h := s.handlers[i]
	env.WritesItem(cellHandler, i, n.Object().ModRevision)
	if n.Initial {
		h.count++
	}
	h.pending = append(h.pending, n)
	env.Enable(taskHandle(i))
}

// handle is a turn of processorListener.run.
func (s *Informer) handle(env *sim.Env, i int) {
	h := s.handlers[i]
	if len(h.pending) == 0 {
		return
	}
	n := h.pending[0]
	h.pending = slices.Delete(h.pending, 0, 1)
	env.WritesItem(cellHandler, i, n.Object().ModRevision)
	env.ReadsItem(cellHandler, i, n.Object().ModRevision)
	if env.Noting() {
		env.Note(told{handler: i, n: n})
	}
	h.had, _ = h.objects.Get(n.Object())
	h.last = n
	h.told++
	h.fresh = n.Object().Key
	if newest := h.Heard(n.Object().Key); newest == nil || newest.ModRevision <= n.Object().ModRevision {
		h.heard.ReplaceOrInsert(n.Object())
	}
	if n.Kind == Deleted {
		h.objects.Delete(n.Old)
	} else {
		h.objects.ReplaceOrInsert(n.New)
	}
	if n.Initial {
		h.count--
		h.checkSynced(env, i)
	}
	if len(h.pending) > 0 {
		env.Enable(taskHandle(i))
	}
}

// learnSynced is watchSynced, when the informer has synced.
func (s *Informer) learnSynced(env *sim.Env, i int) {
	h := s.handlers[i]
	env.Writes(cellHandler, i)
	if !h.watches {
		return
	}
	h.watches, h.upstream = false, true
	h.checkSynced(env, i)
}

// checkSynced is what SingleFileTracker does.
func (h *Handler) checkSynced(env *sim.Env, i int) {
	if h.upstream && h.count == 0 && !h.synced {
		h.synced = true
		if env.Noting() {
			env.Note(handlerSynced{i})
		}
	}
}

// watchSynced starts the goroutine.
func (s *Informer) watchSynced(env *sim.Env, i int) {
	s.handlers[i].watches = true
	env.LooksAt(cellSynced, 0)
	if s.synced {
		env.Enable(taskLearn(i))
	}
}

// closeSynced: the informer has synced.
func (s *Informer) closeSynced(env *sim.Env) {
	env.Writes(cellSynced, 0)
	s.synced = true
	for i, h := range s.handlers {
		env.LooksAt(cellHandler, i)
		if h.watches {
			env.Enable(taskLearn(i))
		}
	}
}
