package informer

import (
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/controller"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

type phase uint8

const (
	// stateAwaiting: the API server has not said that it is ready.
	stateAwaiting phase = iota
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
	timerReshard = timerRequeue + 1
)

// Informer is one Reflector with its store. It implements sim.Node with all
// optional capabilities.
type Informer struct {
	cfg Config
	// timed: the world has a clock.
	timed bool

	state state.Var[phase] `cell:"informer: state"`
	// server is the index of the API server that the connection leads to.
	server state.Var[int] `cell:"informer: API server"`
	// starts counts the ListAndWatch so far, also those before a restart.
	starts int
	// layout is which of its shards the informer follows.
	layout state.Var[int] `cell:"informer: shard"`
	// began is when the process was ready to list.
	began sim.Time
	// asked is how many requests the process has sent, until it follows: it has a store
	// and a watch.
	asked   int
	follows bool
	cause   sim.Cause

	version state.Var[resourceVersion] `cell:"informer: resourceVersion"`
	// unavailable is isLastSyncResourceVersionUnavailable: the last request that named the resourceVersion
	// was answered with "expired" or "too large".
	unavailable state.Var[bool]    `cell:"informer: resourceVersion unavailable"`
	backoff     state.Var[backoff] `cell:"informer: backoff"`
	rest        state.Var[rest]    `cell:"informer: request"`
	pager       state.Var[pager]   `cell:"informer: pages of the list"`
	stream      state.Var[stream]  `cell:"informer: stream"`
	// check is the resourceVersion of the bookmark that ended the initial events: the data consistency
	// detector compares at it.
	check state.Var[int64] `cell:"informer: consistency check"`

	// shared is what there is between the Reflector and the store, nil if the Reflector fills
	// store itself. held: the Reflector waits for the lock of its queue.
	shared *shared.Informer
	held   state.Var[bool] `cell:"informer: waits for the queue"`
	// controller is the one that the first handler belongs to, nil if it belongs to none.
	controller *controller.Controller
	// store is what the Reflector has filled. An item is a revision of an object.
	store state.Var[objects] `cell:"informer: store"`
	// temporary is what a WatchList has brought so far.
	temporary state.Var[objects] `cell:"informer: temporary store"`

	record    state.Var[Record] `cell:"informer: record"`
	exchanges []Exchange
	history   shownHistory
}

var layout = state.Of[Informer]()

type objects = state.Tree[*wire.KeyValue]

var (
	_ sim.Node          = (*Informer)(nil)
	_ sim.Restarter     = (*Informer)(nil)
	_ sim.Cloner        = (*Informer)(nil)
	_ sim.Fingerprinter = (*Informer)(nil)
	_ sim.Celled        = (*Informer)(nil)
	_ sim.Visible       = (*Informer)(nil)
)

// New returns an informer that has not started yet.
func New(cfg Config) *Informer {
	r := &Informer{}
	r.Reset(cfg)
	return r
}

// Reset makes the informer a new one for another run, and keeps its memory.
func (r *Informer) Reset(cfg Config) {
	cfg.setDefaults()
	fields := Informer{cfg: cfg, exchanges: r.exchanges[:0]}
	if cfg.Shared.Queue == shared.RealFIFO {
		fields.shared = shared.New(shared.Config{Options: cfg.Shared, Deviations: cfg.Deviations.Shared, FirstTimer: firstOfShared})
		if cfg.Controller {
			fields.controller = controller.New(controller.Config{Deviations: cfg.Deviations.Controller, Task: fields.shared.Tasks(), Timer: timerRequeue})
		}
	}
	layout.Reset(r, 0, fields)
	r.forgetEverything()
}

// forgetEverything drops what a process keeps in memory.
func (r *Informer) forgetEverything() {
	layout.Reset(r, 0, Informer{
		cfg: r.cfg, timed: r.timed, server: r.server, layout: r.layout, starts: r.starts, began: r.began, asked: r.asked, follows: r.follows, cause: r.cause,
		shared: r.shared, controller: r.controller, record: r.record, exchanges: r.exchanges, history: r.history,
	})
	*r.state.Value() = stateGap
	r.version.Value().last = wire.Unset
	if r.shared != nil {
		r.shared.Forget()
	}
	if r.controller != nil {
		r.controller.Forget()
	}
}

// Clone implements sim.Cloner. The stores are shared until one of the two changes.
func (r *Informer) Clone() sim.Node {
	c := layout.Clone(r)
	c.exchanges = slices.Clone(r.exchanges)
	if r.shared != nil {
		c.shared = r.shared.Clone()
	}
	if r.controller != nil {
		c.controller = r.controller.Clone()
	}
	return c
}

// Fingerprint implements sim.Fingerprinter. The configuration is left out: it
// is the same throughout an exploration. The record is part of it: properties
// depend on it.
func (r *Informer) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, r) }

func (r *Informer) Behaviour(d sim.Digest) sim.Digest { return sim.FoldCells(d, r, r.record.Kind()) }

func (r *Informer) Cells(visit sim.CellVisitor) {
	layout.Cells(r, visit)
	if r.shared != nil {
		r.shared.Cells(visit)
	}
	if r.controller != nil {
		r.controller.Cells(visit)
	}
}

func (r *Informer) Start(env *sim.Env) {
	r.timed = env.Mode() == sim.Timed
	*r.backoff.Value() = backoff{next: backoffInit, started: env.Now()}
	if r.shared != nil {
		r.shared.Start(env)
	}
	r.awaitReshard(env)
	if r.cfg.AwaitReady {
		r.awaitReady(env)
	} else {
		r.begin(env)
	}
}

// begin is the process's first ListAndWatch.
func (r *Informer) begin(env *sim.Env) {
	r.began, r.asked, r.follows = env.Now(), 0, false
	r.listAndWatch(env)
}

// Notices implements sim.Keepalive: client-go's HTTP/2 transport pings after 30 s without a frame, and waits 15 s.
func (*Informer) Notices() (atLeast, atMost sim.Duration) { return 15 * time.Second, 45 * time.Second }

// Restart implements sim.Restarter: a new process connects to the next API server.
func (r *Informer) Restart(env *sim.Env) {
	env.Cover(restarted)
	r.noteEnd(env)
	r.forgetEverything()
	r.record.Value().Restarts++
	r.move(env)
	r.Start(env)
}

// move connects to the next API server.
func (r *Informer) move(env *sim.Env) {
	if len(r.cfg.Servers) == 1 {
		return
	}
	env.Cover(moved)
	server := r.server.Change(env)
	*server = (*server + 1) % len(r.cfg.Servers)
	serverChanged.Say(env, r.to())
}

func (r *Informer) to() sim.NodeID { return r.cfg.Servers[*r.server.Value()] }

// toOf is the same for a step that depends on it.
func (r *Informer) toOf(env *sim.Env) sim.NodeID { return r.cfg.Servers[r.server.Get(env)] }

func (r *Informer) Receive(env *sim.Env, m *sim.Message) {
	at, call, s := *r.state.Look(env), r.rest.Look(env).call, r.stream.Look(env)
	switch {
	case m.Conn == call && at == stateAwaiting:
		r.readyAnswered(env, m.Payload)
	case m.Conn == call:
		r.listAnswered(env, m.Payload)
	case r.controller != nil && r.controller.Owns(m.Conn):
		r.controller.Receive(env, m.Payload)
	case m.Conn != s.conn:
	default:
		switch p := m.Payload.(type) {
		case *wire.WatchEvent:
			r.watchEvent(env, p)
		case *sim.Hangup:
			r.hangsUp(env, s.exchange, p)
			s.conn = sim.NoConn
			if p.Broken {
				r.move(env)
			}
			r.watchClosed(env)
		}
	}
	r.heedShared(env)
}

func (r *Informer) Fire(env *sim.Env, t sim.Timer) {
	switch {
	case t < firstOfShared:
		timers[t].fire(r, env)
	case t == timerRequeue:
		r.controller.Fire(env)
	case t == timerReshard:
		r.reshard(env)
		return
	default:
		r.shared.Fire(env, t)
	}
	r.heedShared(env)
}

// Run implements sim.Node; only a shared informer has loops.
func (r *Informer) Run(env *sim.Env, t sim.Task) {
	if t == r.shared.Tasks() {
		at := r.server.Get(env)
		r.shared.Look(env)
		r.controller.Run(env, r.shared, r.cfg.Servers[at], r.cfg.Servers[(at+1)%len(r.cfg.Servers)])
		return
	}
	r.shared.Run(env, t)
	r.heedShared(env)
}

func (r *Informer) TaskName(t sim.Task) string {
	if t == r.shared.Tasks() {
		return "worker"
	}
	return r.shared.TaskName(t)
}

func (r *Informer) TimerName(t sim.Timer) string {
	switch {
	case t == timerRequeue:
		return "requeue"
	case t == timerReshard:
		return "another shard"
	case t >= firstOfShared:
		return shared.TimerNames[t-firstOfShared]
	}
	return timers[t].name
}

// timers are those of the Reflector.
var timers = [firstOfShared]struct {
	name string
	fire func(*Informer, *sim.Env)
}{
	timerBackoff: {"backoff", (*Informer).backedOff}, timerRetryAfter: {"retry after", (*Informer).sendAgain},
	timerWatchTimeout: {"watch timeout", (*Informer).timeOut}, timerCheckAgain: {"consistency check again", (*Informer).sendCheck},
	timerStreamPatience: {"patience with a stream", (*Informer).losePatience}, timerListTimeout: {"list timeout", (*Informer).listTimedOut},
}

// Synced reports whether the store has been filled since the process started.
func (r *Informer) Synced() bool {
	if r.shared != nil {
		return r.shared.Version() != 0
	}
	return r.version.Value().synced
}

// ResourceVersion is lastSyncResourceVersion, and LastStoreSyncResourceVersion of a shared
// informer: the state that the store is said to hold; 0 while it has not synced.
func (r *Informer) ResourceVersion() int64 {
	switch {
	case r.shared != nil:
		return r.shared.Version()
	case !r.version.Value().synced:
		return 0
	}
	return r.version.Value().last
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
	r.store.Value().Ascend(f)
}

// Len is how many there are.
func (r *Informer) Len() int {
	if r.shared != nil {
		return r.shared.Len()
	}
	return r.store.Value().Len()
}

// Shared is what there is between the Reflector and its store, nil if there is nothing.
func (r *Informer) Shared() *shared.Informer { return r.shared }

// AscendStreamed does the same for what the last WatchList has brought so far.
// It is for an informer whose consistency detector has panicked: StreamedVersion
// is then the resourceVersion of these objects.
func (r *Informer) AscendStreamed(f func(*wire.KeyValue) bool) { r.temporary.Value().Ascend(f) }

// StreamedVersion is the resourceVersion of the bookmark that ended the last
// WatchList.
func (r *Informer) StreamedVersion() int64 { return *r.check.Value() }

// Record is what happened to the informer so far, for properties.
func (r *Informer) Record() *Record { return r.record.Value() }

func (r *Informer) Show(visit sim.PartVisitor) {
	var version []sim.Entry
	if last := r.version.Value().last; last != wire.Unset {
		version = append(version, sim.RevisionEntry(last))
	}
	visit("resourceVersion", version...)
	var list []sim.Entry
	r.Ascend(func(kv *wire.KeyValue) bool {
		text := kv.Key[len(r.cfg.Prefix):] + "=" + kv.Value + " of " + strconv.FormatInt(kv.ModRevision, 10)
		list = append(list, sim.Entry{Text: text, First: kv.ModRevision, Last: kv.ModRevision})
		return true
	})
	visit("store", list...)
}

// This is Reflector.Run: one ListAndWatch after another, and the backoff between them
// (wait.BackoffUntil).

// listAndWatch begins a ListAndWatch.
func (r *Informer) listAndWatch(env *sim.Env) {
	r.cause = env.Begin("list and watch", r.starts)
	if r.starts > 0 {
		env.Cover(relisted)
	}
	r.starts++
	r.stream.Set(env, stream{})
	if r.cfg.List == ByWatchList {
		r.watchList(env)
	} else {
		r.list(env)
	}
}

// pause is how long the Reflector waits after a failure.
func (r *Informer) pause(env *sim.Env) sim.Duration {
	backoff := r.delay(env)
	if r.cfg.Deviations.NeverPauses {
		return 0
	}
	return backoff
}

// endListAndWatch: the next ListAndWatch follows after the backoff.
func (r *Informer) endListAndWatch(env *sim.Env) {
	r.state.Set(env, stateGap)
	env.Arm(timerBackoff, r.pause(env))
}

// backOff waits before the same watch is requested again.
func (r *Informer) backOff(env *sim.Env, s phase) {
	env.Cover(backedOff)
	r.state.Set(env, s)
	env.Arm(timerBackoff, r.pause(env))
}

// backedOff: the time has passed.
func (r *Informer) backedOff(env *sim.Env) {
	switch *r.state.Look(env) {
	case stateWatchListGap:
		r.watchList(env)
	case stateWatchGap:
		r.watch(env)
	default:
		r.listAndWatch(env)
	}
}

// The backoff of the Reflector: from 0.8 to 30 s, twice as long each time, plus
// up to as much again.
const (
	backoffInit   = 800 * time.Millisecond
	backoffMax    = 30 * time.Second
	backoffFactor = 2
	// backoffReset is the time after which the backoff begins anew. Upstream counts
	// it from the last reset, not from the last failure: with a server that stays
	// down the delays fall back to 0.8 s every two minutes.
	backoffReset = 2 * time.Minute
	// jitterSteps is how finely the jitter is chosen when timed.
	jitterSteps = 4
)

// backoff is wait.Backoff.DelayWithReset.
type backoff struct {
	next    sim.Duration
	started sim.Time
}

// delay returns how long to wait. Without a clock that makes no difference.
func (r *Informer) delay(env *sim.Env) sim.Duration {
	if !r.timed {
		return backoffInit
	}
	b := r.backoff.Change(env)
	if env.Now().Sub(b.started) > backoffReset {
		*b = backoff{next: backoffInit, started: env.Now()}
	}
	d := b.next
	b.next = min(b.next*backoffFactor, backoffMax)
	return d + d*sim.Duration(env.Choose(jitterSteps+1, "backoff jitter"))/jitterSteps
}
