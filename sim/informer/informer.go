package informer

import (
	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/controller"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/sim/shown"
	"github.com/watchbed/watchbed/sim/wire"
)

type state uint8

const (
	// stateAwaiting: the API server has not said that it is ready.
	stateAwaiting state = iota
	// stateGap: between two ListAndWatch.
	stateGap
	// stateListing: a page is under way, or waits to be asked for again.
	stateListing
	// stateWatchList: the stream brings the initial events.
	stateWatchList
	// stateWatchListGap: the stream was refused with 429.
	stateWatchListGap
	// stateChecking: the stream has brought everything, and the consistency
	// detector lists the same.
	stateChecking
	// stateWatching: the next event has not come yet.
	stateWatching
	// stateWatchGap: the watch was refused with 429.
	stateWatchGap
	// statePanicked: the consistency detector has found a difference.
	statePanicked
	// stateStopped: the program has stopped the informer.
	stateStopped
)

// The timers.
const (
	timerBackoff sim.Timer = iota
	timerRetryAfter
	timerWatchTimeout
	timerCheckAgain
	timerStreamPatience
	timerListTimeout
	// firstOfShared is the first of those that a shared informer has.
	firstOfShared
	timerRequeue = firstOfShared + sim.Timer(len(shared.TimerNames))
)

// Informer is one Reflector with its store. It implements sim.Node with all
// optional capabilities.
type Informer struct {
	cfg Config
	// timed: the world has a clock.
	timed bool

	state state
	// server is the index of the API server that the connection leads to.
	server int
	// starts counts the ListAndWatch so far, also those before a restart.
	starts int
	// began is when the process was ready to list.
	began sim.Time
	// asked is how many requests the process has sent, until it follows: it has a store
	// and a watch.
	asked   int
	follows bool
	cause   sim.Cause

	version resourceVersion
	backoff backoff
	rest    rest
	pager   pager
	stream  stream
	check   check

	// shared is what there is between the Reflector and the store, nil if the Reflector fills
	// store itself. held: the Reflector waits for the lock of its queue.
	shared *shared.Informer
	held   bool
	// controller is the one that the first handler belongs to, nil if it belongs to none.
	controller *controller.Controller
	// store is what the Reflector has filled; synced: it has.
	store  *btree.BTreeG[*wire.KeyValue]
	synced bool
	// temporary is what a WatchList has brought so far.
	temporary *btree.BTreeG[*wire.KeyValue]

	record    Record
	exchanges []Exchange
	history   shownHistory
}

var (
	_ sim.Node          = (*Informer)(nil)
	_ sim.Restarter     = (*Informer)(nil)
	_ sim.Cloner        = (*Informer)(nil)
	_ sim.Fingerprinter = (*Informer)(nil)
	_ sim.Celled        = (*Informer)(nil)
	_ shown.Node        = (*Informer)(nil)
)

// New returns an informer that has not started yet.
func New(cfg Config) *Informer {
	r := &Informer{store: newStore(), temporary: newStore()}
	r.Reset(cfg)
	return r
}

// Reset makes the informer a new one for another run, and keeps its memory.
func (r *Informer) Reset(cfg Config) {
	cfg.setDefaults()
	r.cfg = cfg
	r.starts, r.server = 0, 0
	r.record, r.exchanges, r.history = Record{}, r.exchanges[:0], shownHistory{}
	r.shared, r.controller = nil, nil
	if cfg.Shared.Queue == shared.RealFIFO {
		r.shared = shared.New(shared.Config{Options: cfg.Shared, Deviations: cfg.Deviations.Shared, FirstTimer: firstOfShared})
		if cfg.Controller {
			r.controller = controller.New(controller.Config{Deviations: cfg.Deviations.Controller, Task: r.shared.Tasks(), Timer: timerRequeue})
		}
	}
	r.forgetEverything()
}

// forgetEverything drops what a process keeps in memory.
func (r *Informer) forgetEverything() {
	r.state = stateGap
	r.version = resourceVersion{last: wire.Unset}
	r.rest = rest{}
	clear(r.pager.items)
	r.pager = pager{items: r.pager.items[:0]}
	r.stream, r.check = stream{}, check{}
	r.store.Clear(true)
	r.temporary.Clear(true)
	r.synced, r.held = false, false
	if r.shared != nil {
		r.shared.Forget()
	}
	if r.controller != nil {
		r.controller.Forget()
	}
}

// Start implements sim.Node.
func (r *Informer) Start(env *sim.Env) {
	r.timed = env.Mode() == sim.Timed
	r.backoff = backoff{next: backoffInit, started: env.Now()}
	if r.shared != nil {
		r.shared.Start(env)
	}
	if r.cfg.AwaitReady {
		r.awaitReady(env)
	} else {
		r.begin(env)
	}
}

// begin is the process's first ListAndWatch.
func (r *Informer) begin(env *sim.Env) {
	r.measureBegin(env)
	r.listAndWatch(env)
}

// Restart implements sim.Restarter: a new process connects to the next API server.
func (r *Informer) Restart(env *sim.Env) {
	env.Cover(restarted)
	r.leaves(env)
	r.forgetEverything()
	r.record.Restarts++
	r.move(env)
	r.Start(env)
}

// move connects to the next API server.
func (r *Informer) move(env *sim.Env) {
	if len(r.cfg.Servers) == 1 {
		return
	}
	env.Cover(moved)
	env.Writes(cellServer, 0)
	r.server = (r.server + 1) % len(r.cfg.Servers)
	if env.Noting() {
		env.Note(serverChanged{r.to()})
	}
}

func (r *Informer) to() sim.NodeID { return r.cfg.Servers[r.server] }

// Receive implements sim.Node.
func (r *Informer) Receive(env *sim.Env, m *sim.Message) {
	env.LooksAt(cellState, 0)
	env.LooksAt(cellRequest, 0)
	env.LooksAt(cellStream, 0)
	switch {
	case m.Conn == r.rest.call && r.state == stateAwaiting:
		r.readyAnswered(env, m.Payload)
	case m.Conn == r.rest.call:
		r.listAnswered(env, m.Payload)
	case r.controller != nil && r.controller.Owns(m.Conn):
		r.controller.Receive(env, m.Payload)
	case m.Conn != r.stream.conn:
	default:
		switch p := m.Payload.(type) {
		case *wire.WatchEvent:
			r.watchEvent(env, p)
		case *sim.Hangup:
			r.hangsUp(env, r.stream.exchange, p)
			r.stream.conn = sim.NoConn
			if p.Broken {
				r.move(env)
			}
			r.watchClosed(env)
		}
	}
	r.heedShared(env)
}

// Fire implements sim.Node.
func (r *Informer) Fire(env *sim.Env, t sim.Timer) {
	switch t {
	case timerRetryAfter:
		r.sendAgain(env)
	case timerWatchTimeout:
		r.timeOut(env)
	case timerCheckAgain:
		r.sendCheck(env)
	case timerStreamPatience:
		r.losePatience(env)
	case timerListTimeout:
		r.listTimedOut(env)
	case timerBackoff:
		env.LooksAt(cellState, 0)
		switch r.state {
		case stateWatchListGap:
			r.watchList(env)
		case stateWatchGap:
			r.watch(env)
		default:
			r.listAndWatch(env)
		}
	case timerRequeue:
		r.controller.Fire(env)
	default:
		r.shared.Fire(env, t)
	}
	r.heedShared(env)
}

// Run implements sim.Node; only a shared informer has loops.
func (r *Informer) Run(env *sim.Env, t sim.Task) {
	if t == r.shared.Tasks() {
		env.Reads(cellServer, 0)
		r.shared.Looks(env)
		r.controller.Run(env, r.shared, r.to())
		return
	}
	r.shared.Run(env, t)
	r.heedShared(env)
}

// TaskName implements sim.Node.
func (r *Informer) TaskName(t sim.Task) string {
	if t == r.shared.Tasks() {
		return "worker"
	}
	return r.shared.TaskName(t)
}

// TimerName implements sim.Node.
func (r *Informer) TimerName(t sim.Timer) string {
	if t == timerRequeue {
		return "requeue"
	}
	if t >= firstOfShared {
		return shared.TimerNames[t-firstOfShared]
	}
	return [...]string{"backoff", "retry after", "watch timeout", "consistency check again", "patience with a stream", "list timeout"}[t]
}

// Synced reports whether the store has been filled since the process started.
func (r *Informer) Synced() bool {
	if r.shared != nil {
		return r.shared.Version() != 0
	}
	return r.synced
}

// ResourceVersion is lastSyncResourceVersion, and LastStoreSyncResourceVersion of a shared
// informer: the state that the store is said to hold; 0 while it has not synced.
func (r *Informer) ResourceVersion() int64 {
	switch {
	case r.shared != nil:
		return r.shared.Version()
	case !r.synced:
		return 0
	}
	return r.version.last
}

// Controller is the one that the first handler belongs to, nil if it belongs to none.
func (r *Informer) Controller() *controller.Controller { return r.controller }

// Server is the API server that the informer is connected to.
func (r *Informer) Server() sim.NodeID { return r.to() }

// Ascend calls f for the objects in the store, in key order, until f returns
// false. f must not change them.
func (r *Informer) Ascend(f func(*wire.KeyValue) bool) {
	if r.shared != nil {
		r.shared.Ascend(f)
		return
	}
	r.store.Ascend(f)
}

// Shared is what there is between the Reflector and its store, nil if there is nothing.
func (r *Informer) Shared() *shared.Informer { return r.shared }

// AscendStreamed does the same for what the last WatchList has brought so far.
// It is for an informer whose consistency detector has panicked: StreamedVersion
// is then the resourceVersion of these objects.
func (r *Informer) AscendStreamed(f func(*wire.KeyValue) bool) { r.temporary.Ascend(f) }

// StreamedVersion is the resourceVersion of the bookmark that ended the last
// WatchList.
func (r *Informer) StreamedVersion() int64 { return r.check.version }

// Record is what happened to the informer so far, for properties.
func (r *Informer) Record() *Record { return &r.record }
