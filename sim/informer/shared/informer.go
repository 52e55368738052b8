package shared

import (
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
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
	fifo        state.Var[fifo]      `cell:"shared informer: queue"`
	loop        state.Var[loop]      `cell:"shared informer: process loop"`
	blockDeltas state.Var[mutex]     `cell:"shared informer: blockDeltas"`
	processor   state.Var[processor] `cell:"shared informer: processor"`
	program     state.Var[program]   `cell:"shared informer: program"`
	handlers    []*Handler

	// store is what handlers and listers see. An item is a revision of an object.
	store   state.Var[objects] `cell:"shared informer: store"`
	version state.Var[version] `cell:"shared informer: resourceVersion of the store"`
	// synced is what HasSynced returns.
	synced state.Var[bool]    `cell:"shared informer: synced"`
	resync state.Var[resyncs] `cell:"shared informer: resync"`

	// changes counts those of the store. No step depends on it.
	changes int
}

var layout = state.Of[Informer]()

// version is LastStoreSyncResourceVersion, first that of the first list.
type version struct{ last, first int64 }

type objects = state.Tree[*wire.KeyValue]

// New returns a shared informer for a process that has not started.
func New(cfg Config) *Informer {
	if cfg.Members == BatchOfObject {
		cfg.Replace = max(cfg.Replace, ReplaceOneByOne)
	}
	s := &Informer{cfg: cfg}
	s.program.Value().stops = cfg.Stops
	s.Forget()
	return s
}

// Forget drops what a process keeps in memory.
func (s *Informer) Forget() {
	stops := s.program.Value().stops
	layout.Reset(s, 0, Informer{cfg: s.cfg, changes: s.changes})
	s.program.Value().stops = stops
	for i := range s.cfg.handlers() + s.cfg.Late {
		h := &Handler{}
		handlers.Reset(h, i, Handler{asks: s.cfg.Resync * sim.Duration(i+1)})
		h.period = max(h.asks, s.resyncPeriod())
		if s.cfg.ResyncsAtChecks {
			h.period = s.resyncPeriod()
		}
		if l := h.Value(); i < s.cfg.handlers() {
			l.registered, l.added, l.syncing = true, true, true
		}
		s.handlers = append(s.handlers, h)
	}
}

// Clone is a copy that shares nothing that changes.
func (s *Informer) Clone() *Informer {
	c := layout.Clone(s)
	c.handlers = make([]*Handler, len(s.handlers))
	for i, h := range s.handlers {
		c.handlers[i] = handlers.Clone(h)
	}
	return c
}

// Cells visits the parts of the state, as sim.Celled.
func (s *Informer) Cells(visit sim.CellVisitor) {
	layout.Cells(s, visit)
	for _, h := range s.handlers {
		handlers.Cells(h, visit)
	}
}

// Start begins Run.
func (s *Informer) Start(env *sim.Env) {
	for _, h := range s.handlers {
		h.Value().resynced = env.Now()
	}
	env.Enable(TaskListeners)
	s.goOn(env)
}

// tasks are the goroutines but for those of the handlers.
var tasks = [firstOfHandlers]struct {
	name string
	step func(*Informer, *sim.Env)
}{
	TaskProcess: {"process loop", (*Informer).process}, TaskListeners: {"processor", (*Informer).runProcessor},
	TaskSynced: {"closes synced", (*Informer).closeSynced}, TaskResync: {"resync", (*Informer).checkResync}, TaskProgram: {"program", (*Informer).act},
}

// Run lets a goroutine take a step.
func (s *Informer) Run(env *sim.Env, t sim.Task) {
	switch i := int(t-firstOfHandlers) / 2; {
	case t < firstOfHandlers:
		tasks[t].step(s, env)
	case t == taskHandle(i):
		s.handle(env, i)
	default:
		s.learnSynced(env, i)
	}
}

// Fire is a timer of FirstTimer or later.
func (s *Informer) Fire(env *sim.Env, t sim.Timer) {
	if t == s.timer(timerResync) {
		s.checkResync(env)
	} else {
		s.act(env)
	}
}

func (s *Informer) timer(t sim.Timer) sim.Timer { return s.cfg.FirstTimer + t }

// TaskName is that of a goroutine.
func (s *Informer) TaskName(t sim.Task) string {
	if t < firstOfHandlers {
		return tasks[t].name
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

// Look declares that the present step looks into the store.
func (s *Informer) Look(env *sim.Env) {
	s.store.Read(env)
	s.version.Read(env)
}

// Version is LastStoreSyncResourceVersion, First that of the first list; 0 if there is none.
func (s *Informer) Version() int64 { return s.version.Value().last }
func (s *Informer) First() int64   { return s.version.Value().first }

// HasSynced is that of the informer.
func (s *Informer) HasSynced() bool { return *s.synced.Value() }

// Unsynced says how far the informer is.
func (s *Informer) Unsynced() string {
	switch f := s.fifo.Value(); {
	case s.HasSynced():
		return "its informer has"
	case !f.populated:
		return "its informer waits for the first list"
	case f.initial > 0:
		return "its informer has still to process of the first list: " + strconv.Itoa(f.initial)
	}
	return "its informer has processed the first list and does not say so"
}

// Changes counts the changes of the store, those of earlier processes included.
func (s *Informer) Changes() int { return s.changes }

// Handlers are those of the process, in the order in which they are added.
func (s *Informer) Handlers() []*Handler { return s.handlers }

// Idle reports whether handlers have been told of all that is in the store, so far as it is
// for the loop to tell them.
func (s *Informer) Idle() bool { at := s.loop.Value().at; return at == idle || at == taking }

// Queued is how many deltas wait.
func (s *Informer) Queued() int { return len(s.fifo.Value().items) }

// Acted reports whether the program has done all that it does.
func (s *Informer) Acted() bool {
	p := s.program.Value()
	return p.stops == 0 && p.next == s.cfg.Late+s.cfg.Removed
}

// Ascend calls f for the objects in the store, in key order, until f returns false.
func (s *Informer) Ascend(f func(*wire.KeyValue) bool) { s.store.Value().Ascend(f) }

// Get is the object of a key, nil if there is none.
func (s *Informer) Get(key string) *wire.KeyValue {
	kv, _ := s.store.Value().Get(&wire.KeyValue{Key: key})
	return kv
}

// Len is how many there are.
func (s *Informer) Len() int { return s.store.Value().Len() }

// mutex is a lock of client-go in the simulation: whether it is held is state of the informer, and it may be held from
// one step to the next. A task that does not get it is enabled when it may try again.
type mutex struct {
	held    bool
	waiting []sim.Task
}

// lock reports whether the task has the lock now.
func (m *mutex) lock(t sim.Task) bool {
	if m.held {
		m.waiting = append(m.waiting, t)
		return false
	}
	m.held = true
	return true
}

func (m *mutex) unlock(env *sim.Env) {
	m.held = false
	if len(m.waiting) > 0 {
		env.Enable(m.waiting[0])
		m.waiting = slices.Delete(m.waiting, 0, 1)
	}
}

// rwMutex is a read-write lock of client-go in the simulation. Its write lock is never held from one step to the next.
// As in Go's package sync a writer that waits keeps readers out.
type rwMutex struct {
	readers         int
	writers, behind []sim.Task
}

// lock reports whether the task may write in this step.
func (m *rwMutex) lock(t sim.Task) bool {
	if m.readers > 0 {
		m.writers = append(m.writers, t)
		return false
	}
	return true
}

// rLock reports whether the task reads from now on.
func (m *rwMutex) rLock(t sim.Task) bool {
	if len(m.writers) > 0 {
		m.behind = append(m.behind, t)
		return false
	}
	m.readers++
	return true
}

func (m *rwMutex) rUnlock(env *sim.Env) {
	m.readers--
	if m.readers > 0 {
		return
	}
	for _, t := range append(m.writers, m.behind...) {
		env.Enable(t)
	}
	m.writers, m.behind = nil, nil
}

// Waits says which goroutines wait for each other, for a person; empty if none does. It is asked
// when nothing more can happen. What waits for a lock comes behind what holds it.
func (s *Informer) Waits() string {
	var all []string
	say := func(goroutine, waitsFor string) { all = append(all, goroutine+" waits for "+waitsFor) }
	l, lock := s.loop.Value(), &s.processor.Value().lock
	switch {
	case l.at == telling && l.reads:
		say("the process loop holds the lock of the listeners and", "their goroutines to be started")
	case l.at == telling:
		say("the process loop", "the goroutines of the listeners to be started")
	}
	if s.program.Value().adding {
		say("AddEventHandler", "the goroutines of the listeners to be started")
	}
	locked := slices.Concat(lock.writers, lock.behind)
	if i := slices.Index(locked, TaskListeners); i >= 0 {
		locked = slices.Delete(locked, i, i+1)
		say("processor.run, which is to start these goroutines,", "the lock of the listeners")
	}
	for _, t := range locked {
		say(goroutine(t), "the lock of the listeners")
	}
	for _, t := range s.blockDeltas.Value().waiting {
		say(goroutine(t), "blockDeltas")
	}
	if s.processor.Value().stopped && !s.Returned() {
		for i, h := range s.handlers {
			if h.Value().watches {
				say("Run", "watchSynced of "+name(i).String()+", which has no listener")
			}
		}
	}
	return strings.Join(all, "; ")
}

func goroutine(t sim.Task) string {
	return map[sim.Task]string{
		TaskProcess: "the process loop", TaskListeners: "processor.run", TaskResync: "the resync", TaskProgram: "the program",
	}[t]
}
