package shared

import (
	"strconv"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// The tasks of the goroutines. Those of a handler follow, two of each.
const (
	TaskProcess sim.Task = iota
	TaskListeners
	TaskSynced
	TaskResync
	TaskProgram
	firstOfHandlers
)

func taskHandle(i int) sim.Task { return firstOfHandlers + 2*sim.Task(i) }
func taskLearn(i int) sim.Task  { return taskHandle(i) + 1 }

// The timers, from Config.FirstTimer on.
const (
	timerResync sim.Timer = iota
	timerProgram
)

// Config is what a shared informer is made of.
type Config struct {
	Options
	Deviations
	// FirstTimer is the number of the first timer that the node leaves to it.
	FirstTimer sim.Timer
}

// Informer is a shared informer without its Reflector.
type Informer struct {
	cfg         Config
	fifo        fifo
	loop        loop
	blockDeltas mutex
	processor   processor
	program     program
	handlers    []*Handler

	// store is what handlers and listers see, version its resourceVersion
	// (LastStoreSyncResourceVersion).
	store   *btree.BTreeG[*wire.KeyValue]
	version int64
	// first is the resourceVersion of the first list.
	first int64
	// synced is what HasSynced returns.
	synced   bool
	stopping bool

	// resyncing: a ListAndWatch watches. needed: handlers want a resync that is not queued yet.
	// checks is how often the period was over, untimed.
	resyncing, needed bool
	checks            int

	// changes counts those of the store. No step depends on it.
	changes int
}

// New returns a shared informer for a process that has not started.
func New(cfg Config) *Informer {
	s := &Informer{store: newStore()}
	s.program.stops = cfg.Stops
	s.cfg = cfg
	s.Forget()
	return s
}

// Forget drops what a process keeps in memory.
func (s *Informer) Forget() {
	stops := s.program.stops
	*s = Informer{cfg: s.cfg, store: newStore(), program: program{stops: stops}, changes: s.changes}
	for i := range s.cfg.handlers() + s.cfg.Late {
		h := &Handler{objects: newStore(), heard: newStore(), asks: s.cfg.Resync * sim.Duration(i+1)}
		h.period = max(h.asks, s.resyncPeriod())
		if s.cfg.ResyncsAtChecks {
			h.period = s.resyncPeriod()
		}
		if i < s.cfg.handlers() {
			h.registered, h.added, h.syncing = true, true, true
		}
		s.handlers = append(s.handlers, h)
	}
}

// Start begins Run.
func (s *Informer) Start(env *sim.Env) {
	for _, h := range s.handlers {
		h.resynced = env.Now()
	}
	env.Enable(TaskListeners)
	s.goOn(env)
}

// Run lets a goroutine take a step.
func (s *Informer) Run(env *sim.Env, t sim.Task) {
	switch {
	case t == TaskProcess:
		s.process(env)
	case t == TaskListeners:
		s.runProcessor(env)
	case t == TaskSynced:
		s.closeSynced(env)
	case t == TaskResync:
		s.resync(env)
	case t == TaskProgram:
		s.act(env)
	case (t-firstOfHandlers)%2 == 0:
		s.handle(env, int(t-firstOfHandlers)/2)
	default:
		s.learnSynced(env, int(t-firstOfHandlers)/2)
	}
}

// Fire is a timer of FirstTimer or later.
func (s *Informer) Fire(env *sim.Env, t sim.Timer) {
	if t == s.timer(timerResync) {
		s.resync(env)
	} else {
		s.act(env)
	}
}

func (s *Informer) timer(t sim.Timer) sim.Timer { return s.cfg.FirstTimer + t }

// TaskName is that of a goroutine.
func (s *Informer) TaskName(t sim.Task) string {
	if t < firstOfHandlers {
		return [...]string{"process loop", "processor", "closes synced", "resync", "program"}[t]
	}
	n := strconv.Itoa(int(t-firstOfHandlers)/2 + 1)
	if (t-firstOfHandlers)%2 == 0 {
		return "handler " + n
	}
	return "watch synced " + n
}

// TimerNames are those of the timers.
var TimerNames = [...]string{"resync", "program"}

// Tasks is how many tasks there are: the number of the first that is not one of them.
func (s *Informer) Tasks() sim.Task { return taskHandle(len(s.handlers)) }

// Looks declares that the present step looks into the store.
func (s *Informer) Looks(env *sim.Env) {
	env.Reads(cellStore, 0)
	env.Reads(cellVersion, 0)
}

// Version is LastStoreSyncResourceVersion, First that of the first list; 0 if there is none.
func (s *Informer) Version() int64 { return s.version }
func (s *Informer) First() int64   { return s.first }

// HasSynced is that of the informer.
func (s *Informer) HasSynced() bool { return s.synced }

// Changes counts the changes of the store, those of earlier processes included.
func (s *Informer) Changes() int { return s.changes }

// Handlers are those of the process, in the order in which they are added.
func (s *Informer) Handlers() []*Handler { return s.handlers }

// Idle reports whether handlers have been told of all that is in the store, so far as it is
// for the loop to tell them.
func (s *Informer) Idle() bool { return s.loop.at == idle || s.loop.at == taking }

// Queued is how many deltas wait.
func (s *Informer) Queued() int { return len(s.fifo.items) }

// Acted reports whether the program has done all that it does.
func (s *Informer) Acted() bool {
	return s.program.stops == 0 && s.program.next == s.cfg.Late+s.cfg.Removed
}

// Ascend calls f for the objects in the store, in key order, until f returns false.
func (s *Informer) Ascend(f func(*wire.KeyValue) bool) { s.store.Ascend(f) }

// Get is the object of a key, nil if there is none.
func (s *Informer) Get(key string) *wire.KeyValue {
	kv, _ := s.store.Get(&wire.KeyValue{Key: key})
	return kv
}

// Len is how many there are.
func (s *Informer) Len() int { return s.store.Len() }
