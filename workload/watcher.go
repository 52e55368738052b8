package workload

import (
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Watcher lists one prefix from a cache and watches it from there on, as an
// informer does, and records every event. When the watch ends the watcher starts
// again after the last event, or with a new list if the cache no longer has that
// resource version. The number of attempts is limited.
type Watcher struct {
	streams
	to      sim.NodeID
	prefix  string
	leave   int
	retries int
	// seconds is the timeout of each watch, 0 for none.
	seconds  int64
	selector wire.Selector
	reading  Reading
	// paused: it had its hiccup. stopped: it takes nothing more.
	paused, stopped bool

	state watcherState
	// position is the resource version to go on from, 0 before the first list.
	position int64
}

type watcherState uint8

const (
	watcherAwaitsReady watcherState = iota
	watcherLists
	watcherWatches
)

// The timers of a Watcher.
const (
	again sim.Timer = iota
	readOn
)

// Reset prepares the watcher for a run. It leaves each watch after so many
// events, never if that is 0, and makes at most retries new attempts.
func (w *Watcher) Reset(name string, to sim.NodeID, prefix string, leave, retries int) {
	*w = Watcher{streams: w.reset(name), to: to, prefix: prefix, leave: leave, retries: retries}
}

// TimeOut has the cache end each watch after so many seconds. It is called after Reset.
func (w *Watcher) TimeOut(seconds int64) { w.seconds = seconds }

// Read sets how it takes what it is sent. It is called after Reset.
func (w *Watcher) Read(r Reading) { w.reading = r }

// Select has the watcher list and watch the objects that a selector selects. It is
// called after Reset.
func (w *Watcher) Select(s wire.Selector) { w.selector = s }

// Prefix is what the watcher watches.
func (w *Watcher) Prefix() string { return w.prefix }

// To is the cache that the watcher asks.
func (w *Watcher) To() sim.NodeID { return w.to }

// Watching reports whether the last of Streams is open.
func (w *Watcher) Watching() bool { return w.state == watcherWatches && w.streams.Watching() }

func (w *Watcher) Start(env *sim.Env) {
	env.Write(cellOpen, 0)
	w.conn = env.Call(w.to, &readyz)
}

// Fire implements sim.Node: another attempt, or the end of a pause.
func (w *Watcher) Fire(env *sim.Env, t sim.Timer) {
	env.LookAt(cellOpen, 0)
	if t == readOn {
		env.Release(w.conn)
		return
	}
	switch w.state {
	case watcherAwaitsReady:
		w.Start(env)
	case watcherLists:
		w.sendList(env)
	default:
		w.beginWatch(env)
	}
}

// VisitAsked visits what the watcher asks, and of which node.
func (w *Watcher) VisitAsked(visit func(to sim.NodeID, p sim.Payload)) {
	visit(w.to, w.list())
	visit(w.to, w.watchAfter(1))
}

func (w *Watcher) list() *wire.ListRequest {
	req := &wire.ListRequest{Prefix: w.prefix, Selector: w.selector}
	if w.position < 0 {
		req.ResourceVersion = wire.Unset
	}
	return req
}

func (w *Watcher) watchAfter(position int64) *wire.WatchRequest {
	return &wire.WatchRequest{
		Prefix: w.prefix, ResourceVersion: position, AllowBookmarks: true, TimeoutSeconds: w.seconds, Selector: w.selector,
	}
}

func (w *Watcher) sendList(env *sim.Env) {
	env.Read(cellPosition, 0)
	env.Write(cellOpen, 0)
	env.Begin("list", len(w.all))
	w.state = watcherLists
	w.conn = env.Call(w.to, w.list())
}

func (w *Watcher) beginWatch(env *sim.Env) {
	env.Read(cellPosition, 0)
	req := w.watchAfter(w.position)
	w.watch(env, w.to, req, watchBegan).Listed = w.state == watcherLists
	w.state = watcherWatches
}

func (w *Watcher) Receive(env *sim.Env, m *sim.Message) {
	env.LookAt(cellOpen, 0)
	if m.Conn != w.conn {
		return
	}
	switch p := m.Payload.(type) {
	case *wire.ReadyzResponse:
		w.sendList(env)
	case *wire.ListResponse:
		env.Write(cellPosition, 0)
		w.position = p.ResourceVersion
		w.beginWatch(env)
	case *wire.WatchEvent:
		w.event(env, p)
	default:
		if h, ok := p.(*sim.Hangup); ok && w.state == watcherWatches {
			w.last().HungUp = !h.Broken
			if !h.Broken {
				watchOver.Say(env)
			}
		}
		w.again(env)
	}
}

func (w *Watcher) event(env *sim.Env, e *wire.WatchEvent) {
	w.received(env, e)
	if e.Type != wire.Failed {
		env.Write(cellPosition, 0)
		env.LookAt(cellPlan, 0)
		w.position = e.ResourceVersion
		n := len(w.last().Events)
		if n == w.leave && w.retries > 0 {
			env.Close(w.conn)
			w.again(env)
			return
		}
		w.read(env, n)
		return
	}
	if e.Err.Code == wire.ErrCompacted {
		env.Write(cellOpen, 0)
		env.Write(cellPosition, 0)
		w.state, w.position = watcherLists, tooOld
	}
	env.Close(w.conn)
	w.again(env)
}

// tooOld in place of a position makes the next list ask for the newest state: a
// list at resourceVersion 0 could lead to the same refusal again.
const tooOld = -1

func (w *Watcher) again(env *sim.Env) {
	env.Write(cellOpen, 0)
	env.Write(cellPlan, 0)
	w.conn = sim.NoConn
	if w.retries > 0 {
		w.retries--
		env.Arm(again, sim.Duration(rewatchDelay))
	}
}

// rewatchDelay is how long a watcher waits before it starts again: about the first
// backoff of client-go's reflector.
const rewatchDelay = 800_000_000

// Run implements sim.Node: a watcher that paused reads on.
func (w *Watcher) Run(env *sim.Env, _ sim.Task) {
	env.LookAt(cellOpen, 0)
	env.Release(w.conn)
}

func (w *Watcher) TaskName(sim.Task) string { return "read on" }

func (w *Watcher) TimerName(t sim.Timer) string {
	if t == readOn {
		return "read on"
	}
	return "attempt " + strconv.Itoa(len(w.all)+1)
}

func (w *Watcher) Clone() sim.Node {
	d := *w
	d.streams = w.clone()
	return &d
}

func (w *Watcher) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, w) }

// Behaviour implements sim.Recorder. The number of events decides when the watcher leaves.
func (w *Watcher) Behaviour(d sim.Digest) sim.Digest {
	if len(w.all) > 0 && (w.leave > 0 || w.reading.Habit > Slow) {
		d = d.Int(int64(len(w.last().Events)))
	}
	return sim.FoldCells(d, w, cellRecord)
}

func (w *Watcher) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	plan := sim.NewDigest.Int(int64(w.retries))
	if w.reading.Habit != Fast {
		plan = plan.Bool(w.paused).Bool(w.stopped)
	}
	visit(cellPlan, 0, plan)
	visit(cellOpen, 0, sim.NewDigest.Word(uint64(w.state)).Bool(w.conn != sim.NoConn))
	visit(cellPosition, 0, sim.NewDigest.Int(w.position))
	visit(cellRecord, 0, w.record())
}

// ReadingOptions say how Watchers take what a cache sends them.
type ReadingOptions struct {
	Habit  string        `option:"watch-reading"`
	After  int           `option:"watch-stall-after" zero:"1" doc:"events that a watcher takes before its hiccup, or before it stops"`
	Pace   time.Duration `option:"watch-pace" doc:"time between two events of a slow watcher, timed"`
	Hiccup time.Duration `option:"watch-hiccup" doc:"longest hiccup of a watcher, timed"`
	// Retries are beside those of a run with faults.
	Retries int `option:"watch-retries" doc:"more times that a watcher watches again"`
}

var habits = map[string][]Habit{
	"": {Fast}, "fast": {Fast}, "slow": {Slow}, "hiccup": {Hiccup}, "stopped": {Stopped}, "every": {Fast, Slow, Hiccup, Stopped},
}

// Of is how the watcher of a number reads.
func (o *ReadingOptions) Of(number int) Reading {
	of := habits[o.Habit]
	return Reading{Habit: of[number%len(of)], After: max(o.After, 1), Pace: o.Pace, Hiccup: o.Hiccup}
}

// Habit is a way to read.
type Habit uint8

const (
	// Fast takes each event as it comes.
	Fast Habit = iota
	// Slow takes one event at a time.
	Slow
	// Hiccup pauses once.
	Hiccup
	// Stopped takes nothing more from some event on, and does not leave.
	Stopped
)

// Reading is how a watcher takes what it is sent.
type Reading struct {
	Habit
	After        int
	Pace, Hiccup sim.Duration
}

// hiccupSteps is how finely the length of a hiccup is chosen, timed.
const hiccupSteps = 4

// read takes no more from the connection for now, or ever, after some number of events.
func (w *Watcher) read(env *sim.Env, number int) {
	r := &w.reading
	switch {
	case r.Habit == Slow:
		w.pause(env, r.Pace)
	case r.Habit == Hiccup && number == r.After && !w.paused:
		env.Write(cellPlan, 0)
		w.paused = true
		pause := r.Hiccup
		if env.Mode() == sim.Timed {
			pause = pause * sim.Duration(env.Choose(hiccupSteps, "hiccup")+1) / hiccupSteps
		}
		w.pause(env, pause)
	case r.Habit == Stopped && number == r.After:
		env.Write(cellPlan, 0)
		w.stopped = true
		env.Hold(w.conn)
	}
}

func (w *Watcher) pause(env *sim.Env, d sim.Duration) {
	env.Hold(w.conn)
	if env.Mode() == sim.Timed {
		env.Arm(readOn, d)
		return
	}
	env.Enable(0)
}

// ReadsAtOnce reports whether the watcher takes each event as it comes.
func (w *Watcher) ReadsAtOnce() bool { return w.reading.Habit == Fast }

// HasStopped reports whether it takes nothing more, and does not leave.
func (w *Watcher) HasStopped() bool { return w.stopped }
