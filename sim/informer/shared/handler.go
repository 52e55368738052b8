package shared

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
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

// Handler is a handler with its processorListener.
type Handler struct {
	// asks is the resync period that the handler asks for, period the one that it gets, 0 for none.
	asks, period sim.Duration
	// An item is a revision of an object.
	state.Var[listener] `cell:"shared informer: handler"`

	// told is how many notifications the handler has handled, had what it had before of the object of
	// the last one.
	told int
	had  *wire.KeyValue
	// fresh is the key of the last notification, until TakeTold.
	fresh string
}

var handlers = state.Of[Handler]()

// listener is what a step depends on, and a judge.
type listener struct {
	// resynced is when the period was last over.
	resynced sim.Time
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
	objects, heard objects
	// last is the last notification.
	last Notification
	// joined is the resourceVersion of the store when the handler was listed what there is, 0 if
	// it was empty.
	joined int64
}

// Listens reports whether the handler has been added, and not removed.
func (h *Handler) Listens() bool { return h.Value().added && h.Value().registered }

// Removed reports whether it was removed.
func (h *Handler) Removed() bool { return h.Value().removed }

// HasSynced is that of its registration.
func (h *Handler) HasSynced() bool { return h.Value().synced }

// Period is how often the handler asks for a resync, 0 for never.
func (h *Handler) Period() sim.Duration { return h.asks }

// Pending is how many notifications wait for the handler.
func (h *Handler) Pending() int { return len(h.Value().pending) }

// Told is how many notifications it has handled, Last the last of them, and Had what it had of
// the same object before; nil if it had none.
func (h *Handler) Told() int           { return h.told }
func (h *Handler) Last() Notification  { return h.Value().last }
func (h *Handler) Had() *wire.KeyValue { return h.had }
func (h *Handler) Len() int            { return h.Value().objects.Len() }
func (h *Handler) Joined() int64       { return h.Value().joined }

// Ascend calls f for the objects that the handler has been told of and that are not deleted, in
// key order, until f returns false.
func (h *Handler) Ascend(f func(*wire.KeyValue) bool) { h.Value().objects.Ascend(f) }

// Get is what the handler has of a key, nil if it has nothing.
func (h *Handler) Get(key string) *wire.KeyValue {
	kv, _ := h.Value().objects.Get(&wire.KeyValue{Key: key})
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
	kv, _ := h.Value().heard.Get(&wire.KeyValue{Key: key})
	return kv
}

// add is processorListener.add: pop keeps the notification for run.
func (s *Informer) add(env *sim.Env, i int, n Notification) {
	h := s.handlers[i].ChangeItem(env, n.Object().ModRevision)
	if n.Initial {
		h.count++
	}
	h.pending = append(h.pending, n)
	env.Enable(taskHandle(i))
}

// handle is a turn of processorListener.run.
func (s *Informer) handle(env *sim.Env, i int) {
	h, l := s.handlers[i], s.handlers[i].Value()
	if len(l.pending) == 0 {
		return
	}
	n := l.pending[0]
	h.ChangeItem(env, n.Object().ModRevision)
	h.ReadItem(env, n.Object().ModRevision)
	l.pending = slices.Delete(l.pending, 0, 1)
	told.Say(env, name(i), n)
	h.had, _ = l.objects.Get(n.Object())
	l.last = n
	h.told++
	h.fresh = n.Object().Key
	if newest := h.Heard(n.Object().Key); newest == nil || newest.ModRevision <= n.Object().ModRevision {
		l.heard.Put(n.Object())
	}
	if n.Kind == Deleted {
		l.objects.Delete(n.Old)
	} else {
		l.objects.Put(n.New)
	}
	if n.Initial {
		l.count--
		l.checkSynced(env, i)
	}
	if len(l.pending) > 0 {
		env.Enable(taskHandle(i))
	}
}

// learnSynced is watchSynced, when the informer has synced.
func (s *Informer) learnSynced(env *sim.Env, i int) {
	h := s.handlers[i].Change(env)
	if !h.watches {
		return
	}
	h.watches, h.upstream = false, true
	h.checkSynced(env, i)
}

// checkSynced is what SingleFileTracker does.
func (h *listener) checkSynced(env *sim.Env, i int) {
	if h.upstream && h.count == 0 && !h.synced {
		h.synced = true
		handlerSynced.Say(env, name(i))
	}
}

// watchSynced starts the goroutine.
func (s *Informer) watchSynced(env *sim.Env, i int) {
	s.handlers[i].Value().watches = true
	if *s.synced.Look(env) {
		env.Enable(taskLearn(i))
	}
}

// closeSynced: the informer has synced.
func (s *Informer) closeSynced(env *sim.Env) {
	s.synced.Set(env, true)
	for i, h := range s.handlers {
		if h.Look(env).watches {
			env.Enable(taskLearn(i))
		}
	}
}

type resyncs struct {
	// resyncing: a ListAndWatch watches. needed: handlers want a resync that is not queued yet.
	resyncing, needed bool
	// checks is how often the period was over, untimed.
	checks int
}

// WatchBegins starts the goroutine of the resync: a ListAndWatch watches.
func (s *Informer) WatchBegins(env *sim.Env) {
	if s.resyncPeriod() > 0 && !s.Resyncing() {
		s.resync.Change(env).resyncing = true
		s.armResync(env)
	}
}

// Resyncing reports whether that goroutine runs.
func (s *Informer) Resyncing() bool { return s.resync.Value().resyncing }

// CheckPeriod is how often it looks whether a handler's period is over.
func (s *Informer) CheckPeriod() sim.Duration { return s.resyncPeriod() }

// WatchEnds ends it.
func (s *Informer) WatchEnds(env *sim.Env) {
	if s.Resyncing() {
		s.resync.Change(env).resyncing = false
		env.Disarm(s.timer(timerResync))
	}
}

// resyncPeriod is resyncCheckPeriod: the shortest of all handlers that were added before the
// start.
func (s *Informer) resyncPeriod() sim.Duration { return s.cfg.Resync }

func (s *Informer) armResync(env *sim.Env) {
	if env.Mode() == sim.Untimed {
		r := s.resync.Value()
		if r.checks == s.cfg.Resyncs {
			return
		}
		r.checks++
	}
	env.Arm(s.timer(timerResync), s.resyncPeriod())
}

// checkResync is a turn of startResync. needed: it is one that has asked the handlers already.
func (s *Informer) checkResync(env *sim.Env) {
	r, p := s.resync.Change(env), s.processor.Change(env)
	if !r.needed {
		if !p.lock.lock(TaskResync) {
			return
		}
		r.needed = s.shouldResync(env)
	}
	if r.needed {
		if s.fifo.Look(env).locked {
			s.fifo.Change(env).resyncWaits = true
			return
		}
		r.needed = false
		resyncQueued.Say(env)
		s.queueResync(env)
	}
	if r.resyncing {
		s.armResync(env)
	}
}

// shouldResync asks all handlers.
func (s *Informer) shouldResync(env *sim.Env) bool {
	needed := false
	for _, h := range s.handlers {
		if !h.Value().registered {
			continue
		}
		l := h.Change(env)
		l.syncing = h.period > 0 && env.Elapsed(l.resynced, h.period)
		if l.syncing {
			needed = true
			l.resynced = env.Now()
		}
	}
	return needed
}
