// Package dispatch (unstable) is what a watch cache does for its clients' watches: it takes
// a watch in, sends it what happened before, and gives each new event to every
// watcher (upstream's Cacher.Watch, dispatchEvents and cacheWatcher).
//
//	Dispatcher   the goroutine dispatchEvents, its incoming channel, and the
//	             registry of watchers
//	Watcher      one client's watch with its two channels
//
// watch.go has a watch from its request until it is registered, watcher.go from there to its end, turn by turn;
// dispatcher.go has an event on its way to all watchers, and the bookmark timer; slow_watchers.go has what becomes of
// watchers without room in designs that KEP-6268 weighs, unsynced.go the passes of one of them.
//
// What a client is sent, in this order, and what it may rely on:
//
//  1. An error of the request, in place of the watch: 400 from validation, 429 while the
//     cache is not ready (ready.checkAndReadGeneration). Cacher.Watch returns the error.
//  2. wire.WatchEstablished, the HTTP 200: Cacher.Watch has returned a watch. It has read
//     etcd's revision, if the request has sendInitialEvents and no resourceVersion
//     (getWatchCacheResourceVersion), has waited for the cache if initial events are wanted
//     (waitUntilWatchCacheFreshAndForceAllEvents), has taken its interval
//     (getAllEventsSinceLocked) and has registered the watcher (addWatcher). A change that is
//     committed after the 200 is not lost, wherever the watch begins. A watch that etcd
//     serves is established when watcher.Watch of storage/etcd3 returns: with etcd's revision
//     (getStartWatchResourceVersion) if the watch begins now, at once in all other cases.
//  3. For a request that Cacher.Watch accepts and cannot serve (too old, too large, no
//     progress requests), one ERROR event and the end (newErrWatcher). For a request that meets
//     a new generation of the cache, the end alone (newImmediateCloseWatcher).
//  4. The initial events, ADDED, of a watch that begins with a state (processInterval).
//     Behind them processInterval calls WatchInitialized: no message, but priority and
//     fairness takes the seats of the request back then (sim/cache/flowcontrol).
//  5. The bookmark with the annotation k8s.io/initial-events-end, if sendInitialEvents and
//     bookmarks are requested: the state is complete, and not older than the request allows.
//     client-go's reflector waits for it before it replaces its store (handleAnyWatch);
//     clients without bookmarks are never told.
//  6. Changes and bookmarks in the order of their resourceVersions, until an ERROR or the end.
//
// client-go's reflector waits for the 200 only in that ListerWatcher.Watch returns with it:
// its watches name a resourceVersion or ask for initial events, so it relies on neither to
// know where they begin. Here a client is sent the 200 if it asks (WatchRequest.Announce).
//
// Where several designs differ there is a seam, an exported variable to which another
// module may add a value: Buffers and SlowWatchers. Any other option is a field of Options.
//
// The state declares what each step reads and writes (sim/state). The
// steps of two watchers touch no common cell.
//
// The package must never import sim/cache: what it works with of the cache is in Parts.
package dispatch

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Dispatcher is the goroutine dispatchEvents with its incoming channel and the
// registry of watchers: it gives each event to every watcher. A watcher whose
// channel is full may hold it up for as long as the budget allows, and is
// terminated then.
type Dispatcher struct {
	cfg    Config
	buffer Buffering
	// catchUp is nil if the dispatcher waits for slow watchers and ends them.
	catchUp *CatchUp
	// trigger is the field of the resource's trigger, nil if it has none.
	trigger *store.Field

	registry
	loop
	// waits are those for slow watchers since began, when the cache did, timed. Nothing in the process reads them, so
	// they are part of no cell.
	began sim.Time
	waits []Wait
}

// Wait is one for the watchers that had no room for an event: until all have it, or until the budget is used up.
type Wait struct {
	Began sim.Time
	// Budget is how long it may be, Took how long it was. Over is false as long as it goes on. Ended is that
	// watchers that still had no room were ended, Needless that each had room when the budget was used up.
	Budget, Took          sim.Duration
	Over, Ended, Needless bool
}

// loop is the state of the goroutine.
type loop struct {
	// incoming is the channel; an item is an entry by its number.
	incoming state.Var[incoming]   `cell:"cache: incoming channel"`
	blocked  state.Var[blocked]    `cell:"cache: blocked watchers"`
	budget   state.Var[timeBudget] `cell:"cache: dispatch budget"`
	// processed is the resourceVersion that a bookmark may carry.
	processed state.Var[int64]         `cell:"cache: dispatched resourceVersion"`
	progress  state.Var[heardProgress] `cell:"cache: last progress handed out"`
	passes    state.Var[passes]        `cell:"cache: pass of catching up watchers"`
}

var layout = state.Of[Dispatcher]()

type incoming struct {
	events channel
	// used is the number of entries of the channel that are taken.
	used int
	// offering: ingestion is blocked in its send.
	offering bool
}

// channel is a Go channel of events.
type channel struct{ arena.Queue[store.Event] }

func (c *channel) Digest(d sim.Digest) sim.Digest {
	all := c.All()
	d = d.Int(int64(len(all)))
	for i := range all {
		d = all[i].Digest(d)
	}
	return d
}

// blocked is the event that is being dispatched. Watchers are by their numbers.
type blocked struct {
	// current is the event that the watchers still have to get; the first of them is waited for.
	current  store.Event
	watchers []int
	since    sim.Time
	timeout  sim.Duration
	// toStop are watchers that ended while current was being dispatched: their
	// channels stay open until that is over.
	toStop []int
}

// Reset makes the dispatcher that of a configuration. Forget is to follow if it has
// been used.
func (d *Dispatcher) Reset(cfg Config) {
	d.cfg = cfg
	d.buffer = Buffers.Of(cfg.Buffer)
	d.trigger = triggerOf(cfg.Fields)
	d.catchUp = SlowWatchers.Of(cfg.SlowWatchers)
	layout.Name(d, 0)
	*d.progress.Value(), *d.budget.Value() = heardProgress{}, timeBudget{unbounded: cfg.UnboundedBudget}
}

// Forget drops what a process keeps in memory, and keeps the memory itself. The budget is that of a new cache.
func (d *Dispatcher) Forget(now sim.Time) {
	d.began, d.waits = now, d.waits[:0]
	d.registry.forget()
	in, b, p := d.incoming.Value(), d.blocked.Value(), d.passes.Value()
	in.events.Clear()
	p.forget()
	*in, *b, *p = incoming{events: in.events}, blocked{watchers: b.watchers[:0], toStop: b.toStop[:0]}, passes{pass: p.pass}
	*d.processed.Value(), *d.progress.Value() = 0, heardProgress{}
	*d.budget.Value() = timeBudget{unbounded: d.cfg.UnboundedBudget, last: now}
}

// Listed takes the resourceVersion of a list. A bookmark may have that of the
// first list. It may not have those of later lists: upstream waits for the first
// one only.
func (d *Dispatcher) Listed(env *sim.Env, resourceVersion int64) {
	if *d.processed.Look(env) == 0 {
		d.processed.Set(env, resourceVersion)
	}
}

// Dispatching: an event has reached some watchers and not yet all.
func (d *Dispatcher) Dispatching() bool { return len(d.blocked.Value().watchers) > 0 }

// occupied: the goroutine is not at its select. It dispatches, or catches watchers up.
func (d *Dispatcher) occupied(env *sim.Env) bool {
	return len(d.blocked.Look(env).watchers) > 0 || d.passes.Value().pass.under
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
	in := d.incoming.Value()
	d.incoming.ChangeItem(env, in.events.Next())
	in.offering = in.used > 0 && in.used+d.weight(&e) > d.cfg.IncomingCapacity
	if in.offering {
		full.Say(env, e.ResourceVersion, sim.Counted{N: in.events.Len(), Thing: "event"})
		return false
	}
	if n := in.events.Len(); n > 0 && !e.Bookmark {
		queued.Say(env, e.ResourceVersion, sim.Counted{N: n, Thing: "entry"})
	}
	in.used += d.weight(&e)
	in.events.Push(e)
	if !d.occupied(env) {
		env.Enable(d.cfg.Dispatch)
	}
	return true
}

// NextProgress is the resourceVersion of the progress notification that Run takes next, 0 if it does something else.
func (d *Dispatcher) NextProgress() int64 {
	if d.passes.Value().pass.under || !d.incoming.Value().events.All()[0].Bookmark {
		return 0
	}
	return d.incoming.Value().events.All()[0].ResourceVersion
}

// Run takes one event from the incoming channel, or goes on with catching up watchers.
func (d *Dispatcher) Run(env *sim.Env) {
	if d.passes.Value().pass.under {
		d.blocked.Change(env)
		d.stepPass(env)
		return
	}
	in, b := d.incoming.Value(), d.blocked.Value()
	d.incoming.ReadItem(env, in.events.First())
	d.incoming.ChangeItem(env, sim.NoItem)
	b.current = in.events.Pop()
	in.used -= d.weight(&b.current)
	if in.offering {
		env.Enable(d.cfg.HandOver)
	}
	if b.current.Bookmark {
		// Bookmarks from etcd may come many times a second; watchers get the
		// cache's own instead.
		d.heardProgress(env)
	} else {
		d.dispatchEvent(env)
	}
	if len(d.blocked.Look(env).watchers) == 0 {
		d.finishDispatching(env)
	}
}

// dispatchEvent offers the event to every watcher that it triggers, without blocking, and begins
// to wait for the watchers without room.
func (d *Dispatcher) dispatchEvent(env *sim.Env) {
	d.registry.Look(env)
	env.Add(serialised, 1)
	if d.catchUp != nil {
		d.dispatchToSlow(env)
		return
	}
	b := d.blocked.Value()
	for _, w := range d.watchers.All() {
		if w.registered && d.triggers(env, w, &b.current) && !w.nonblockingAdd(env, &b.current) {
			b.watchers = append(b.watchers, w.number)
		}
	}
	if !d.Dispatching() {
		return
	}
	env.Cover(dispatchBlocked)
	d.blocked.Change(env)
	b.since = env.Now()
	b.timeout = d.budget.Change(env).takeAvailable(b.since)
	env.Arm(d.cfg.Budget, b.timeout)
	if env.Mode() == sim.Timed {
		d.waits = append(d.waits, Wait{Began: b.since, Budget: b.timeout})
	}
	if waits.Heard(env) {
		atMost := ""
		if env.Mode() == sim.Timed {
			atMost = ", for at most " + b.timeout.String()
		}
		waits.Say(env, b.current.ResourceVersion, d.watchers.At(b.watchers[0]).from, atMost)
	}
}

// inputTaken: a watcher took from its channel; the dispatcher may be blocked in
// a send to it.
func (d *Dispatcher) inputTaken(env *sim.Env, w *Watcher) {
	if c := d.catchUp; c != nil {
		if c.InPasses {
			w.slow.Look(env)
		}
		if w.unsynced {
			d.armPass(env)
		}
		return
	}
	if waits := d.blocked.Look(env).watchers; len(waits) == 0 || waits[0] != w.number {
		return
	}
	env.Cover(dispatchUnblocked)
	d.blocked.Read(env)
	b := d.blocked.Change(env)
	for d.Dispatching() && d.watchers.At(b.watchers[0]).nonblockingAdd(env, &b.current) {
		b.watchers = slices.Delete(b.watchers, 0, 1)
	}
	if !d.Dispatching() {
		env.Disarm(d.cfg.Budget)
		d.endWait(env, false, false)
		d.budget.Change(env).returnUnused(b.timeout - env.Now().Sub(b.since))
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
	d.blocked.Change(env)
	d.beginPass(env)
}

// terminateBlocked: a watcher that has room by now gets the event, the others end.
func (d *Dispatcher) terminateBlocked(env *sim.Env) {
	d.blocked.Read(env)
	b, ended, needless := d.blocked.Change(env), false, true
	for _, number := range b.watchers {
		w := d.watchers.At(number)
		if w.nonblockingAdd(env, &b.current) {
			continue
		}
		needless = false
		if w.state == watcherEnding {
			w.stopAgain(env)
		}
		if w.registered {
			ended = true
			env.Cover(watcherTerminated)
			env.Add(terminatedWatchers, 1)
			terminated.Say(env, w.from)
			w.terminate(env)
		}
	}
	b.watchers = b.watchers[:0]
	d.endWait(env, ended, needless)
	d.finishDispatching(env)
}

func (d *Dispatcher) endWait(env *sim.Env, ended, needless bool) {
	if env.Mode() == sim.Timed {
		v := &d.waits[len(d.waits)-1]
		v.Took, v.Over, v.Ended, v.Needless = env.Now().Sub(v.Began), true, ended, needless
		env.Record(dispatcherWaits, int64(v.Took))
	}
}

// Waits are those of a cache since it began, in their order, timed.
func (d *Dispatcher) Waits() (began sim.Time, all []Wait) { return d.began, d.waits }

func (d *Dispatcher) finishDispatching(env *sim.Env) {
	b := d.blocked.Value()
	d.processed.Set(env, b.current.ResourceVersion)
	b.current = store.Event{}
	d.goOn(env)
}

// goOn ends the watchers that were stopped while the dispatcher was occupied, and goes back to its select.
func (d *Dispatcher) goOn(env *sim.Env) {
	b := d.blocked.Value()
	for _, number := range b.toStop {
		if w := d.watchers.At(number); w.reopened {
			w.strand(env)
		} else {
			w.close(env)
		}
	}
	b.toStop = b.toStop[:0]
	if d.incoming.Look(env).events.Len() > 0 {
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
	if d.occupied(env) {
		// The goroutine is not at its select; finishDispatching arms again.
		return
	}
	processed := d.processed.Get(env)
	d.registry.Look(env)
	bookmark := store.Event{ResourceVersion: processed, Bookmark: true}
	again := false
	for _, w := range d.watchers.All() {
		if !w.wantsBookmark(env, processed) {
			continue
		}
		if !w.isDue(env) {
			again = true
			continue
		}
		if bookmark.ForWatchers == nil {
			bookmark.ForWatchers = &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: processed}
		}
		w.bookmarks.Change(env).bookmarkAt = env.Now()
		if w.nonblockingAdd(env, &bookmark) {
			env.Cover(bookmarkOffered)
			w.added(env, processed)
			w.bookmarkVersion = processed
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

// wantsBookmark: a bookmark of what is processed would have a newer resourceVersion than the watcher
// was sent.
func (w *Watcher) wantsBookmark(env *sim.Env, processed int64) bool {
	if !w.registered || !w.request.AllowBookmarks {
		return false
	}
	if !w.isOffered(env, processed+1) {
		return false
	}
	w.bookmarks.Look(env)
	if end := w.initialEnd.Look(env); end.endBookmark == endBookmarkWaiting {
		return processed >= end.bookmarkAfter
	}
	return processed > w.bookmarkVersion && !(env.Mode() == sim.Timed && w.hadLast())
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
	if d.registry.Look(env).bookmarkWatchers == 0 {
		return
	}
	processed := *d.processed.Look(env)
	for _, w := range d.watchers.All() {
		if !w.wantsBookmark(env, processed) {
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
	unbounded bool `cell:"-"`
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
