package dispatch

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// Dispatcher is the goroutine dispatchEvents with its incoming channel and the
// registry of watchers: it gives each event to every watcher. A watcher whose
// channel is full may hold it up for as long as the budget allows, and is
// terminated then.
type Dispatcher struct {
	cfg      Config
	buffer   Buffering
	progress heardProgress
	// catchUp is nil if the dispatcher waits for slow watchers and ends them.
	catchUp *CatchUp
	// trigger is the field of the resource's trigger, nil if it has none.
	trigger *store.Field

	registry
	passes

	incoming fifo.Queue[store.Event]
	// used is the number of entries of the channel that are taken.
	used int
	// offering: ingestion is blocked in its send.
	offering bool

	// lastProcessed is the resourceVersion that a bookmark may carry.
	lastProcessed int64

	// current is the event that the watchers in blocked still have to get;
	// the first of them is waited for.
	current   store.Event
	blocked   []*Watcher
	blockedAt sim.Time
	timeout   sim.Duration
	budget    timeBudget
	// toStop are watchers that ended while current was being dispatched: their
	// channels stay open until that is over.
	toStop []*Watcher
}

// Reset makes the dispatcher that of a configuration. Forget is to follow if it has
// been used.
func (d *Dispatcher) Reset(cfg Config) {
	d.cfg = cfg
	d.buffer = Buffers.Of(cfg.Buffer)
	d.progress = heardProgress{}
	d.trigger = triggerOf(cfg.Fields)
	d.budget = timeBudget{unbounded: cfg.UnboundedBudget}
	d.catchUp = SlowWatchers.Of(cfg.SlowWatchers)
}

// Forget drops what a process keeps in memory, and keeps the memory itself.
func (d *Dispatcher) Forget() {
	d.registry.forget()
	d.progress = heardProgress{}
	d.incoming.Clear()
	d.used, d.offering = 0, false
	d.lastProcessed = 0
	clear(d.blocked)
	clear(d.toStop)
	d.current, d.blocked, d.toStop = store.Event{}, d.blocked[:0], d.toStop[:0]
	d.blockedAt, d.timeout, d.budget = 0, 0, timeBudget{unbounded: d.cfg.UnboundedBudget}
	d.forgetPasses()
}

// Listed takes the resourceVersion of a list. A bookmark may have that of the
// first list. It may not have those of later lists: upstream waits for the first
// one only.
func (d *Dispatcher) Listed(env *sim.Env, resourceVersion int64) {
	env.LooksAt(cellProcessed, 0)
	if d.lastProcessed == 0 {
		env.Writes(cellProcessed, 0)
		d.lastProcessed = resourceVersion
	}
}

// Dispatching: an event has reached some watchers and not yet all.
func (d *Dispatcher) Dispatching() bool { return len(d.blocked) > 0 }

// occupied: the goroutine is not at its select. It dispatches, or catches watchers up.
func (d *Dispatcher) occupied() bool {
	return d.Dispatching() || d.pass.under
}

// weight is the number of entries that an event takes in the channel. After a
// change the reflector reports its resourceVersion once more
// (UpdateResourceVersion), which is a second entry unless that call returns early.
func (d *Dispatcher) weight(e *store.Event) int {
	if e.Bookmark || d.cfg.OneEntryOfChange {
		return 1
	}
	return 2
}

// Offer puts an event into the incoming channel. It returns false if there is no
// room; Numbers.HandOver runs when there may be.
func (d *Dispatcher) Offer(env *sim.Env, e store.Event) bool {
	env.WritesItem(cellIncoming, 0, d.incoming.Next())
	d.offering = d.used > 0 && d.used+d.weight(&e) > d.cfg.IncomingCapacity
	if d.offering {
		return false
	}
	d.used += d.weight(&e)
	d.incoming.Push(e)
	env.LooksAt(cellBlocked, 0)
	if !d.occupied() {
		env.Enable(d.cfg.Dispatch)
	}
	return true
}

// NextProgress is the resourceVersion of the progress notification that Run takes next, 0 if it does something else.
func (d *Dispatcher) NextProgress() int64 {
	if d.pass.under || !d.incoming.All()[0].Bookmark {
		return 0
	}
	return d.incoming.All()[0].ResourceVersion
}

// Run takes one event from the incoming channel, or goes on with catching up watchers.
func (d *Dispatcher) Run(env *sim.Env) {
	if d.pass.under {
		env.Writes(cellBlocked, 0)
		d.stepPass(env)
		return
	}
	env.ReadsItem(cellIncoming, 0, d.incoming.First())
	env.WritesItem(cellIncoming, 0, sim.NoItem)
	d.current = d.incoming.Pop()
	d.used -= d.weight(&d.current)
	if d.offering {
		env.Enable(d.cfg.HandOver)
	}
	if d.current.Bookmark {
		// Bookmarks from etcd may come many times a second; watchers get the
		// cache's own instead.
		d.heardProgress(env)
	} else {
		d.dispatchEvent(env)
	}
	env.LooksAt(cellBlocked, 0)
	if !d.Dispatching() {
		d.finishDispatching(env)
	}
}

// dispatchEvent offers the event to every watcher that it triggers, without blocking, and begins
// to wait for those that have no room.
func (d *Dispatcher) dispatchEvent(env *sim.Env) {
	env.LooksAt(cellRegistry, 0)
	env.Add(serialised, 1)
	if d.catchUp != nil {
		d.dispatchToSlow(env)
		return
	}
	for _, w := range d.watchers {
		if w.registered && d.triggers(env, w, &d.current) && !w.nonblockingAdd(env, &d.current) {
			d.blocked = append(d.blocked, w)
		}
	}
	if !d.Dispatching() {
		return
	}
	env.Cover(dispatchBlocked)
	env.Writes(cellBlocked, 0)
	env.Writes(cellBudget, 0)
	d.blockedAt = env.Now()
	d.timeout = d.budget.takeAvailable(d.blockedAt)
	env.Arm(d.cfg.Budget, d.timeout)
	if env.Noting() {
		atMost := ""
		if env.Mode() == sim.Timed {
			atMost = ", for at most " + d.timeout.String()
		}
		env.Note(waits.Of(d.current.ResourceVersion, d.blocked[0].from, atMost))
	}
}

// inputTaken: a watcher took from its channel; the dispatcher may be blocked in
// a send to it.
func (d *Dispatcher) inputTaken(env *sim.Env, w *Watcher) {
	if c := d.catchUp; c != nil {
		if c.InPasses {
			env.LooksAt(cellSlow, w.number)
		}
		if w.unsynced {
			d.armPass(env)
		}
		return
	}
	env.LooksAt(cellBlocked, 0)
	if !d.Dispatching() || d.blocked[0] != w {
		return
	}
	env.Cover(dispatchUnblocked)
	env.Reads(cellBlocked, 0)
	env.Writes(cellBlocked, 0)
	for d.Dispatching() && d.blocked[0].nonblockingAdd(env, &d.current) {
		d.blocked = d.blocked[:copy(d.blocked, d.blocked[1:])]
	}
	if !d.Dispatching() {
		env.Disarm(d.cfg.Budget)
		env.Writes(cellBudget, 0)
		d.recordWait(env)
		d.budget.returnUnused(d.timeout - env.Now().Sub(d.blockedAt))
		d.finishDispatching(env)
	}
}

// FireBudget is called when the budget is used up. A dispatcher that never waits catches
// watchers up then.
func (d *Dispatcher) FireBudget(env *sim.Env) {
	if d.catchUp == nil {
		d.terminateBlocked(env)
		return
	}
	env.Writes(cellBlocked, 0)
	d.beginPass(env)
}

// terminateBlocked: a watcher that has room by now gets the event, the others end.
func (d *Dispatcher) terminateBlocked(env *sim.Env) {
	env.Reads(cellBlocked, 0)
	env.Writes(cellBlocked, 0)
	for _, w := range d.blocked {
		if w.nonblockingAdd(env, &d.current) {
			continue
		}
		if w.state == watcherEnding {
			w.stopAgain(env)
		}
		if w.registered {
			env.Cover(watcherTerminated)
			env.Add(terminatedWatchers, 1)
			terminated.Say(env, w.from)
			w.terminate(env)
		}
	}
	d.blocked = d.blocked[:0]
	d.recordWait(env)
	d.finishDispatching(env)
}

func (d *Dispatcher) recordWait(env *sim.Env) {
	if env.Mode() == sim.Timed {
		env.Record(dispatcherWaits, int64(env.Now().Sub(d.blockedAt)))
	}
}

func (d *Dispatcher) finishDispatching(env *sim.Env) {
	env.Writes(cellProcessed, 0)
	d.lastProcessed = d.current.ResourceVersion
	d.current = store.Event{}
	d.goOn(env)
}

// goOn ends the watchers that were stopped while the dispatcher was occupied, and goes back to its select.
func (d *Dispatcher) goOn(env *sim.Env) {
	for _, w := range d.toStop {
		if w.reopened {
			w.strand(env)
			continue
		}
		w.close(env)
	}
	d.toStop = d.toStop[:0]
	env.LooksAt(cellIncoming, 0)
	if d.incoming.Len() > 0 {
		env.Enable(d.cfg.Dispatch)
	}
	d.armBookmark(env)
}

// A resource whose objects are indexed by a field, as pods are by spec.nodeName, has the
// trigger of that field: a watch that selects one value of it is given the events of
// objects with this value only, not all events to leave most of them out (upstream's
// indexedTrigger, and valueWatchers of indexedWatchers).

// triggerOf is the field of the trigger, nil if there is none. Upstream allows one.
func triggerOf(fields store.Fields) *store.Field {
	for i := range fields {
		if fields[i].Indexed {
			return &fields[i]
		}
	}
	return nil
}

// triggers reports whether a watch is to be given an event: one of an object that has the
// value which the watch selects after the change, or had it before.
func (d *Dispatcher) triggers(env *sim.Env, w *Watcher, e *store.Event) bool {
	if d.trigger == nil || !w.triggered || e.ForWatchers == nil || d.trigger.Value(e.ForWatchers.Item) == w.triggerValue {
		return true
	}
	if prev := e.ForWatchers.Prev; !d.cfg.TriggersByNewValue && prev != nil && d.trigger.Value(prev) == w.triggerValue {
		return true
	}
	env.Cover(eventNotTriggering)
	if env.Noting() && w.convert(e.ForWatchers) != nil {
		env.Note(untriggered.Of(e.ResourceVersion, w.from))
	}
	return false
}

// The bookmark timer of dispatchEvents goes off every 1 to 1.25 s. It is armed
// only while a bookmark would have a newer resourceVersion than some watcher was
// sent, so that a run without time comes to rest. A bookmark that repeats a
// resourceVersion is not sent, and does not count: upstream counts the period from it, so that news may
// wait there for up to a period longer than here (bookmarks-in-time allows it).
const (
	bookmarkTick   = time.Second
	bookmarkJitter = time.Second / 4
	// jitterSteps is how finely the jitter, and the phase that the timer would
	// have had, are chosen when timed.
	jitterSteps = 4
)

// FireBookmark offers a bookmark to every watcher that is due, without blocking.
func (d *Dispatcher) FireBookmark(env *sim.Env) {
	env.LooksAt(cellBlocked, 0)
	if d.occupied() {
		// The goroutine is not at its select; finishDispatching arms again.
		return
	}
	env.Reads(cellProcessed, 0)
	env.LooksAt(cellRegistry, 0)
	bookmark := store.Event{ResourceVersion: d.lastProcessed, Bookmark: true}
	again := false
	for _, w := range d.watchers {
		if !w.wantsBookmark(env) {
			continue
		}
		if !w.isDue(env) {
			again = true
			continue
		}
		if bookmark.ForWatchers == nil {
			bookmark.ForWatchers = &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: d.lastProcessed}
		}
		env.Writes(cellBookmark, w.number)
		w.bookmarkAt = env.Now()
		if w.nonblockingAdd(env, &bookmark) {
			env.Cover(bookmarkOffered)
			w.added(env, d.lastProcessed)
			w.bookmarkVersion = d.lastProcessed
			w.received(env)
		} else {
			env.Cover(bookmarkDropped)
			w.lacksBookmark = true
		}
	}
	if again {
		env.Arm(d.cfg.Numbers.Bookmark, bookmarkTick+bookmarkJitter*sim.Duration(env.Choose(jitterSteps+1, "bookmark jitter"))/jitterSteps)
	}
}

// wantsBookmark: a bookmark would have a newer resourceVersion than the watcher
// was sent.
func (w *Watcher) wantsBookmark(env *sim.Env) bool {
	if !w.registered || !w.request.AllowBookmarks {
		return false
	}
	if !w.isOffered(env, w.dispatcher.lastProcessed+1) {
		return false
	}
	env.LooksAt(cellEnd, w.number)
	env.LooksAt(cellBookmark, w.number)
	if w.endBookmark == endBookmarkWaiting {
		return w.dispatcher.lastProcessed >= w.bookmarkAfter
	}
	return w.dispatcher.lastProcessed > w.bookmarkVersion && !(env.Mode() == sim.Timed && w.hadLast())
}

// preTimeout is how long before its end a watch is due, so that its client has
// the newest resourceVersion to go on from.
const preTimeout = 2 * time.Second

// hadLast: after a bookmark shortly before the deadline there is none.
func (w *Watcher) hadLast() bool {
	return w.deadline != 0 && w.bookmarkAt > w.deadline-sim.Time(preTimeout)
}

// isDue is what nextBookmarkTime and the time buckets come to: every watcher is
// due a minute after its last bookmark, or shortly before its deadline, and one
// that waits for the end of its initial events at every tick.
func (w *Watcher) isDue(env *sim.Env) bool {
	if env.Mode() == sim.Untimed || w.endBookmark == endBookmarkWaiting {
		return true
	}
	next := w.bookmarkAt + sim.Time(w.dispatcher.cfg.BookmarkPeriod)
	if w.deadline != 0 {
		next = min(next, w.deadline-sim.Time(preTimeout))
	}
	return env.Now() >= next
}

// bookmarkFits: the watcher took an event from its channel, for which a bookmark was
// dropped. Upstream offers the next one when its time comes, and repeats
// resourceVersions. Here the timer is set again once there is room, so that a run
// without time comes to rest while a client takes nothing.
func (w *Watcher) bookmarkFits(env *sim.Env) {
	w.lacksBookmark = false
	w.dispatcher.armBookmark(env)
}

// armBookmark sets the timer if some watcher wants a bookmark.
func (d *Dispatcher) armBookmark(env *sim.Env) {
	env.LooksAt(cellRegistry, 0)
	if d.bookmarkWatchers == 0 {
		return
	}
	env.LooksAt(cellProcessed, 0)
	for _, w := range d.watchers {
		if !w.wantsBookmark(env) {
			continue
		}
		if env.Armed(d.cfg.Numbers.Bookmark) {
			return
		}
		phase := bookmarkTick
		if env.Mode() == sim.Timed {
			phase = bookmarkTick * sim.Duration(env.Choose(jitterSteps, "bookmark timer phase")+1) / jitterSteps
		}
		env.Arm(d.cfg.Numbers.Bookmark, phase)
		return
	}
}

// timeBudget is how long the dispatcher may wait for watchers that do not keep up. It earns
// 50 ms a second, up to 100 ms. Untimed, the clock stands still and it earns nothing: a
// timer then means nothing about time.
type timeBudget struct {
	unbounded bool
	// left is what was not used, as of last, when it was last taken.
	left sim.Duration
	last sim.Time
}

const (
	earnedIn  = 20 // one unit of budget for so many units of time
	maxBudget = 100 * time.Millisecond
)

func (b *timeBudget) bound(budget sim.Duration) sim.Duration {
	if b.unbounded {
		return budget
	}
	return min(budget, maxBudget)
}

// takeAvailable takes all that there is.
func (b *timeBudget) takeAvailable(now sim.Time) sim.Duration {
	all := b.bound(b.left + now.Sub(b.last)/earnedIn)
	b.left, b.last = 0, now
	return all
}

// returnUnused gives back what was taken and not used.
func (b *timeBudget) returnUnused(unused sim.Duration) {
	if unused > 0 {
		b.left = b.bound(b.left + unused)
	}
}
