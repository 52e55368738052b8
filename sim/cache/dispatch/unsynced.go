package dispatch

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
)

// A watcher without room is unsynced, and the dispatcher's goroutine serves it in passes, cohort by cohort (KEP-6268,
// revised).
//
// Yield points are those of the original: a pass looks at the history, serves a cohort, and
// offers again what a full channel did not take, each under locks of its own. Timed, a pass is
// one step: the goroutine does not block in between, and a step takes no time.

// passes is a part of the dispatcher's goroutine. Watchers are by their numbers.
type passes struct {
	// cursor is the resourceVersion at which the last cohort stopped, rotation the number of the
	// first watcher of the next choice, if there are too many for a pass.
	cursor   int64
	rotation int
	// period is the time from one pass to the next.
	period sim.Duration
	pass
}

// pass is one round of catching up unsynced watchers.
type pass struct {
	under bool
	// candidates are the watchers that no cohort has had yet, the lowest position
	// first.
	candidates []int
	// units and pushes are what is left of the amounts of a pass.
	units, pushes int
	// cohort is what is served now, scan what was read of the history for it.
	cohort []member
	scan   []store.Event
	// scanned is the resourceVersion of the last event that was read, complete that it was
	// the last of the history.
	scanned  int64
	complete bool
	// offers is how often the cohort was offered the scan.
	offers int
	// served: some watcher was given an event or ended. owed: one was left with a full channel
	// that took an event before.
	served, owed bool
	done         Pass `cell:"-"`
}

// Pass is what a pass over unsynced watchers has done, for judges.
type Pass struct {
	// Opened is how often it has opened the history, Read how many events it has read there, Given how many watchers
	// took. Unserved is how many watchers had room when it ended, and no turn.
	Opened, Read, Given, Unserved int
	// If there were too many watchers, LeastRoom is that of one it chose in its channel, and LeftRoom the most of one it
	// left out.
	LeastRoom, LeftRoom int
}

func (p *pass) forget() {
	*p = pass{candidates: p.candidates[:0], cohort: p.cohort[:0], scan: p.scan[:0]}
}

// member is how far one watcher of a cohort is.
type member struct {
	watcher int
	// seen is how many events of the scan it took, or does not select.
	seen int
	// stopped: its channel was full.
	stopped bool
	given   int
}

// The periods between passes.
const (
	periodStalled = 10 * time.Millisecond
	periodBusy    = time.Millisecond
	periodIdle    = 100 * time.Millisecond
)

const (
	// openingUnits is what it costs to open the history.
	openingUnits = 64
	// maxOffers is how often a cohort is offered a scan: once, and twice more what was not taken.
	maxOffers = 3
)

// sync begins with a watch that is registered: what it begins with, a state or a part of the history,
// goes up to where the store is. The document does not say where the position begins. At the
// resourceVersion that the client gave, a watch could stall with an event that its interval has,
// and be ended by a 410 for history that its client needs no more.
func (w *Watcher) sync(env *sim.Env) {
	w.slow.Change(env).position = max(w.sentUpTo(env), w.dispatcher.cfg.Store.ResourceVersion(env))
}

// isOffered reports whether the dispatcher offers the watcher an event. It offers a bookmark at the watcher's position,
// too. By the document an event at the position is skipped: of the objects of one revision the watcher is offered the
// first.
func (w *Watcher) isOffered(env *sim.Env, resourceVersion int64) bool {
	if c := w.dispatcher.catchUp; c == nil || !c.InPasses {
		return true
	}
	return !w.slow.Look(env).unsynced && resourceVersion > w.position
}

// added: the channel took what was dispatched.
func (w *Watcher) added(env *sim.Env, resourceVersion int64) {
	if c := w.dispatcher.catchUp; c != nil && c.InPasses {
		w.slow.Change(env).position = resourceVersion
	}
}

// unsync: the watcher has no room for an event. A pass is to come soon.
func (w *Watcher) unsync(env *sim.Env, resourceVersion int64) {
	d := w.dispatcher
	w.slow.Change(env)
	p := d.passes.Change(env)
	w.position, w.unsynced = max(w.position, resourceVersion-1), true
	if p.period == periodIdle && env.Armed(d.cfg.Budget) {
		env.Arm(d.cfg.Budget, periodStalled)
	}
	p.period = periodStalled
}

// leavePasses: the watcher is unsynced no more.
func (w *Watcher) leavePasses(env *sim.Env) {
	d := w.dispatcher
	if !w.unsynced {
		return
	}
	d.passes.Change(env)
	if w.unsynced = false; !d.CatchesUpWatchers() {
		env.Disarm(d.cfg.Budget)
	}
}

// armPass sets the timer of the next pass. It is that of the budget, for which a dispatcher has no use that never
// waits. The goroutine looks every 100 ms at least while a watcher is unsynced. Untimed, the timer rests while a pass
// would find nothing to do, so that a run without time comes to its end.
func (d *Dispatcher) armPass(env *sim.Env) {
	p := d.passes.Value()
	if p.under || env.Armed(d.cfg.Budget) {
		return
	}
	if env.Mode() == sim.Timed && d.CatchesUpWatchers() || d.hasWork(env) {
		env.Arm(d.cfg.Budget, p.period)
	}
}

// hasWork reports whether a pass would serve a watcher or end one.
func (d *Dispatcher) hasWork(env *sim.Env) bool {
	lowest := d.lowest()
	return slices.ContainsFunc(d.watchers.All(), func(w *Watcher) bool {
		return w.slow.Look(env).unsynced && w.isRegistered(env) && (w.hasRoom(env) || w.expires(env, lowest))
	})
}

// lowest is the lowest position of the watchers that are unsynced.
func (d *Dispatcher) lowest() int64 {
	var lowest int64
	for _, w := range d.watchers.All() {
		if w.unsynced && (lowest == 0 || w.position < lowest) {
			lowest = w.position
		}
	}
	return lowest
}

// expires reports whether the watcher is to be ended by a 410.
func (w *Watcher) expires(env *sim.Env, lowest int64) bool {
	if w.dispatcher.catchUp.ExpireTogether {
		return !w.servable(env, lowest)
	}
	return !w.servable(env, w.position)
}

func (w *Watcher) isRegistered(env *sim.Env) bool {
	w.dispatcher.registry.Look(env)
	return w.registered
}

func (w *Watcher) hasRoom(env *sim.Env) bool { return w.inputLen(env) < int(w.capacity) }

// beginPass is the timer of passes, which is not set while the goroutine is at one.
func (d *Dispatcher) beginPass(env *sim.Env) {
	p := d.passes.Change(env)
	env.Cover(passBegins)
	p.forget()
	p.under, p.units, p.pushes = true, d.cfg.CatchUpUnits, d.cfg.CatchUpPushes
	d.choose(env)
	for timed := env.Mode() == sim.Timed; timed && p.under; {
		d.passOn(env)
	}
	d.afterPass(env)
}

// stepPass is the next turn of the goroutine in a pass.
func (d *Dispatcher) stepPass(env *sim.Env) {
	d.passes.Change(env)
	d.passOn(env)
	d.afterPass(env)
}

// afterPass lets the dispatcher's goroutine take its next turn, of the pass or of dispatching. Watchers
// that were stopped meanwhile end now if the pass is over.
func (d *Dispatcher) afterPass(env *sim.Env) {
	if d.passes.Value().under {
		env.Enable(d.cfg.Dispatch)
		return
	}
	d.goOn(env)
}

// passOn serves one cohort, offers it again what it did not take, or ends the pass.
func (d *Dispatcher) passOn(env *sim.Env) {
	p := d.passes.Value()
	if len(p.cohort) == 0 && !d.openCohort(env) {
		d.endPass(env)
		return
	}
	d.offerScan(env)
	if p.offers == maxOffers || !slices.ContainsFunc(p.cohort, func(t member) bool { return t.stopped }) {
		d.settleCohort(env)
	}
}

// choose ends the watchers that the history has left behind, and chooses among the others
// that have room: those with more of it first, and in turn, if there are too many for a pass.
func (d *Dispatcher) choose(env *sim.Env) {
	p, lowest := d.passes.Value(), d.lowest()
	for _, w := range d.watchers.All() {
		w.slow.Look(env)
		switch {
		case !w.unsynced || !w.isRegistered(env):
		case w.expires(env, lowest):
			w.slow.Change(env)
			w.leavePasses(env)
			p.served = true
			w.expire(env)
		case w.hasRoom(env):
			p.candidates = append(p.candidates, w.number)
		}
	}
	if limit := d.cfg.CatchUpWatchers; len(p.candidates) > limit {
		env.Cover(passIsFull)
		places := len(d.watchers.All())
		free := func(w int) int { return int(d.watchers.At(w).capacity) - d.watchers.At(w).inputLen(env) }
		place := func(w int) int { return (w - p.rotation + places) % places }
		slices.SortStableFunc(p.candidates, func(v, w int) int {
			return cmp.Or(cmp.Compare(free(w), free(v)), cmp.Compare(place(v), place(w)))
		})
		p.done.LeastRoom = math.MaxInt
		for i, n := range p.candidates {
			if room := int(d.watchers.At(n).capacity) - d.watchers.At(n).input.Len(); i < limit {
				p.done.LeastRoom = min(p.done.LeastRoom, room)
			} else {
				p.done.LeftRoom = max(p.done.LeftRoom, room)
			}
		}
		p.candidates = p.candidates[:limit]
		p.rotation = (p.candidates[limit-1] + 1) % places
	}
	slices.SortStableFunc(p.candidates, func(v, w int) int { return cmp.Compare(d.watchers.At(v).position, d.watchers.At(w).position) })
}

// openCohort reads the history for the next cohort: its lead is the first candidate at or above the
// place where the last one stopped, or the first of all. It returns false if there is none, or
// the pass has read enough.
func (d *Dispatcher) openCohort(env *sim.Env) bool {
	p := d.passes.Value()
	for len(p.candidates) > 0 && p.units > openingUnits && p.pushes > 0 {
		at := max(0, slices.IndexFunc(p.candidates, func(w int) bool { return d.watchers.At(w).position >= p.cursor }))
		lead := d.watchers.At(p.candidates[at])
		after := lead.position
		if !lead.isRegistered(env) || !lead.servable(env, after) {
			// It was ended meanwhile, or the next pass ends it.
			p.candidates = slices.Delete(p.candidates, at, at+1)
			continue
		}
		d.readScan(env, after)
		p.cohort, p.offers = p.cohort[:0], 0
		p.candidates = slices.DeleteFunc(p.candidates, func(w int) bool {
			position := d.watchers.At(w).position
			in := w == lead.number || position >= after && (position < p.scanned || p.complete)
			if in {
				p.cohort = append(p.cohort, member{watcher: w})
			}
			return in
		})
		if len(p.cohort) > 1 {
			env.Cover(cohortShared)
		}
		p.cursor = p.scanned
		return true
	}
	return false
}

// readScan copies what follows a resourceVersion, as much as the pass may still read.
func (d *Dispatcher) readScan(env *sim.Env, after int64) {
	p, s := d.passes.Value(), d.cfg.Store
	p.units -= openingUnits
	p.done.Opened++
	p.scan, p.scanned, p.complete = p.scan[:0], after, false
	var interval store.Interval
	interval.TakeHistory(env, s, after)
	for {
		e, ok := interval.Next(env, s)
		if !ok || e.ResourceVersion == 0 {
			p.complete = ok
			return
		}
		if p.units == 0 {
			env.Cover(scanIsShort)
			return
		}
		p.units--
		p.done.Read++
		p.scan, p.scanned = append(p.scan, e), e.ResourceVersion
	}
}

// offerScan gives the cohort the events that it has not taken: each in turn to all watchers that
// select it, which share its encoding.
func (d *Dispatcher) offerScan(env *sim.Env) {
	p := d.passes.Value()
	p.offers++
	for i := range p.cohort {
		p.cohort[i].stopped = false
	}
	for at := range p.scan {
		given := 0
		for i := range p.cohort {
			if d.offerOne(env, &p.cohort[i], at) {
				given++
			}
		}
		if given > 0 {
			env.Add(serialised, 1)
			env.Add(fromHistory, int64(given))
		}
	}
}

// offerOne offers one event to one watcher, and reports whether it took it.
func (d *Dispatcher) offerOne(env *sim.Env, t *member, at int) bool {
	p := d.passes.Value()
	w, e := d.watchers.At(t.watcher), &p.scan[at]
	if t.stopped || at < t.seen || !w.isRegistered(env) {
		return false
	}
	w.slow.Change(env)
	if e.ResourceVersion <= w.position || !d.triggers(env, w, e) {
		t.seen = at + 1
		return false
	}
	if p.pushes == 0 || !w.nonblockingAdd(env, e) {
		t.stopped = true
		return false
	}
	p.pushes--
	p.done.Given++
	p.served = true
	w.position = e.ResourceVersion
	t.seen, t.given = at+1, t.given+1
	return true
}

// settleCohort ends the turn of a cohort: a watcher that took all is where the scan is, and is synced if that is
// the end of the history. Later events come to it as they are dispatched.
func (d *Dispatcher) settleCohort(env *sim.Env) {
	p := d.passes.Value()
	for i := range p.cohort {
		t := &p.cohort[i]
		w := d.watchers.At(t.watcher)
		switch {
		case !w.isRegistered(env):
		case t.stopped:
			p.owed = p.owed || t.given > 0
		default:
			w.slow.Change(env)
			p.served = p.served || p.scanned > w.position || p.complete
			w.position = max(w.position, p.scanned)
			if p.complete {
				env.Cover(watcherSynced)
				env.Add(catchUps, 1)
				w.leavePasses(env)
			}
		}
	}
	p.cohort = p.cohort[:0]
}

// endPass is the end of the pass. The next one comes soon if a client is draining its channel, and
// late if no watcher was served.
func (d *Dispatcher) endPass(env *sim.Env) {
	p := d.passes.Value()
	p.under = false
	env.Record(passUnits, int64(d.cfg.CatchUpUnits-p.units))
	p.done.Unserved = len(p.candidates)
	p.candidates, p.scan = p.candidates[:0], p.scan[:0]
	switch {
	case p.owed:
		p.period = periodBusy
	case p.served:
		p.period = periodStalled
	default:
		p.period = periodIdle
	}
	d.armPass(env)
}

var (
	passBegins    = sim.NewCoveragePoint("cache: pass over unsynced watchers")
	passIsFull    = sim.NewCoveragePoint("cache: more unsynced watchers than a pass serves")
	cohortShared  = sim.NewCoveragePoint("cache: unsynced watchers share one look at the history")
	scanIsShort   = sim.NewCoveragePoint("cache: pass ends before the end of the history")
	watcherSynced = sim.NewCoveragePoint("cache: unsynced watcher synced again")

	passUnits = metric.New("catch_up_pass_units", metric.Counted,
		"units of the history that one pass over unsynced watchers read: one for an event, and 64 to open it (KEP-6268, revised)")
	catchUps = metric.NewCounter("apiserver_watch_cache_watcher_catchup_rounds_total", metric.Counted,
		"unsynced watchers that were synced again (KEP-6268, revised)")
)
