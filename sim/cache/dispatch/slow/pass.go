package slow

import (
	"cmp"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/store"
)

// pass is one round of catching up unsynced watchers.
type pass struct {
	under bool
	// candidates are the numbers of the watchers that no cohort has had yet, the lowest position
	// first.
	candidates []int
	// units and pushes are what is left of the amounts of a pass.
	units, pushes int
	// cohort is what is served now, scan what was read of the history for it.
	cohort []turn
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
}

// turn is how far one watcher of a cohort is.
type turn struct {
	number int
	// next is the place in the scan from which on it is to be offered events.
	next int
	// stopped: its channel was full.
	stopped bool
	given   int
}

const (
	// openingUnits is what it costs to open the history.
	openingUnits = 64
	// maxOffers is how often a cohort is offered a scan: once, and twice more what was not taken.
	maxOffers = 3
)

func (p *pass) clone() pass {
	c := *p
	c.candidates, c.cohort, c.scan = slices.Clone(p.candidates), slices.Clone(p.cohort), slices.Clone(p.scan)
	return c
}

func (p *pass) digest(d sim.Digest) sim.Digest {
	d = d.Bool(p.under).Int(int64(p.units)).Int(int64(p.pushes)).Int(p.scanned).Bool(p.complete).Int(int64(p.offers)).Bool(p.served).Bool(p.owed)
	for _, n := range p.candidates {
		d = d.Int(int64(n))
	}
	for _, t := range p.cohort {
		d = d.Int(int64(t.number)).Int(int64(t.next)).Bool(t.stopped).Int(int64(t.given))
	}
	for i := range p.scan {
		d = p.scan[i].Fingerprint(d)
	}
	return d
}

// Fire implements dispatch.CatchUp: a pass begins, unless the goroutine is at one.
func (g *groups) Fire(env *sim.Env) {
	env.Writes(cellPass, 0)
	env.Cover(passBegins)
	p := &g.pass
	amounts := g.dispatcher.Amounts()
	*p = pass{
		under: true, units: amounts.CatchUpUnits, pushes: amounts.CatchUpPushes,
		candidates: p.candidates[:0], cohort: p.cohort[:0], scan: p.scan[:0],
	}
	g.choose(env)
	if env.Mode() == sim.Timed {
		for p.under {
			g.turn(env)
		}
	}
	g.dispatcher.GoOn(env)
}

// Step implements dispatch.CatchUp.
func (g *groups) Step(env *sim.Env) {
	env.Writes(cellPass, 0)
	g.turn(env)
	g.dispatcher.GoOn(env)
}

// turn serves one cohort, offers it again what it did not take, or ends the pass.
func (g *groups) turn(env *sim.Env) {
	p := &g.pass
	if len(p.cohort) == 0 && !g.open(env) {
		g.end(env)
		return
	}
	g.offer(env)
	if p.offers == maxOffers || !slices.ContainsFunc(p.cohort, func(t turn) bool { return t.stopped }) {
		g.settle(env)
	}
}

// choose ends the watchers that the history has left behind, and chooses among the others
// that have room: those with more of it first, and in turn, if there are too many for a pass.
func (g *groups) choose(env *sim.Env) {
	p, lowest := &g.pass, g.lowest()
	for n := range g.members {
		w, m := g.dispatcher.Watcher(n), &g.members[n]
		env.LooksAt(cellSlow, n)
		switch {
		case !m.unsynced || !w.Registered(env):
		case g.expires(env, w, m.position, lowest):
			g.expire(env, w)
		case w.HasRoom(env):
			p.candidates = append(p.candidates, n)
		}
	}
	if limit := g.dispatcher.Amounts().CatchUpWatchers; len(p.candidates) > limit {
		env.Cover(passIsFull)
		places := len(g.members)
		slices.SortStableFunc(p.candidates, func(a, b int) int {
			u, v := g.dispatcher.Watcher(a), g.dispatcher.Watcher(b)
			return cmp.Or(cmp.Compare(v.Free(env), u.Free(env)),
				cmp.Compare((a-g.rotation+places)%places, (b-g.rotation+places)%places))
		})
		p.candidates = p.candidates[:limit]
		g.rotation = (p.candidates[limit-1] + 1) % places
	}
	slices.SortStableFunc(p.candidates, func(a, b int) int { return cmp.Compare(g.members[a].position, g.members[b].position) })
}

func (g *groups) expire(env *sim.Env, w *dispatch.Watcher) {
	env.Writes(cellSlow, w.Number())
	g.leave(env, w)
	g.pass.served = true
	w.Expire(env)
}

// open reads the history for the next cohort: its lead is the first candidate at or above the
// place where the last one stopped, or the first of all. It returns false if there is none, or
// the pass has read enough.
func (g *groups) open(env *sim.Env) bool {
	p := &g.pass
	for len(p.candidates) > 0 && p.units > openingUnits && p.pushes > 0 {
		at := slices.IndexFunc(p.candidates, func(n int) bool { return g.members[n].position >= g.cursor })
		at = max(at, 0)
		lead := p.candidates[at]
		after := g.members[lead].position
		w := g.dispatcher.Watcher(lead)
		if !w.Registered(env) || !w.Servable(env, after) {
			// It was ended meanwhile, or the next pass ends it.
			p.candidates = slices.Delete(p.candidates, at, at+1)
			continue
		}
		g.read(env, after)
		p.cohort, p.offers = p.cohort[:0], 0
		p.candidates = slices.DeleteFunc(p.candidates, func(n int) bool {
			position := g.members[n].position
			in := n == lead || position >= after && (position < p.scanned || p.complete)
			if in {
				p.cohort = append(p.cohort, turn{number: n})
			}
			return in
		})
		if len(p.cohort) > 1 {
			env.Cover(cohortShared)
		}
		g.cursor = p.scanned
		return true
	}
	return false
}

// read copies what follows a resourceVersion, as much as the pass may still read.
func (g *groups) read(env *sim.Env, after int64) {
	p := &g.pass
	p.units -= openingUnits
	p.scan, p.scanned, p.complete = p.scan[:0], after, false
	var interval store.Interval
	interval.TakeHistory(env, g.dispatcher.Store(), after)
	for {
		e, ok := interval.Next(env, g.dispatcher.Store())
		if !ok || e.ResourceVersion == 0 {
			p.complete = ok
			return
		}
		if p.units == 0 {
			env.Cover(scanIsShort)
			return
		}
		p.units--
		p.scan, p.scanned = append(p.scan, e), e.ResourceVersion
	}
}

// offer gives the cohort the events that it has not taken: each in turn to all watchers that
// select it, which share its encoding.
func (g *groups) offer(env *sim.Env) {
	p := &g.pass
	p.offers++
	for i := range p.cohort {
		p.cohort[i].stopped = false
	}
	for at := range p.scan {
		given := 0
		for i := range p.cohort {
			if g.offerOne(env, &p.cohort[i], at) {
				given++
			}
		}
		if given > 0 {
			g.dispatcher.PushedFromHistory(env, given)
		}
	}
}

// offerOne offers one event to one watcher, and reports whether it took it.
func (g *groups) offerOne(env *sim.Env, t *turn, at int) bool {
	p, w := &g.pass, g.dispatcher.Watcher(t.number)
	e := &p.scan[at]
	if t.stopped || at < t.next || !w.Registered(env) {
		return false
	}
	env.Writes(cellSlow, t.number)
	m := g.members.of(w)
	if e.ResourceVersion <= m.position || !w.Selects(env, e) {
		t.next = at + 1
		return false
	}
	if p.pushes == 0 || !w.Offer(env, e) {
		t.stopped = true
		return false
	}
	p.pushes--
	p.served = true
	m.position = e.ResourceVersion
	t.next, t.given = at+1, t.given+1
	return true
}

// settle ends the turn of a cohort: a watcher that took all is where the scan is, and is synced if that is
// the end of the history. Later events come to it as they are dispatched.
func (g *groups) settle(env *sim.Env) {
	p := &g.pass
	for i := range p.cohort {
		t := &p.cohort[i]
		w := g.dispatcher.Watcher(t.number)
		switch {
		case !w.Registered(env):
		case t.stopped:
			p.owed = p.owed || t.given > 0
		default:
			env.Writes(cellSlow, t.number)
			m := g.members.of(w)
			p.served = p.served || p.scanned > m.position || p.complete
			m.position = max(m.position, p.scanned)
			if p.complete {
				env.Cover(watcherSynced)
				env.Add(catchUps, 1)
				g.leave(env, w)
			}
		}
	}
	p.cohort = p.cohort[:0]
}

// end is the end of the pass. The next one comes soon if a client is draining its channel, and
// late if no watcher was served.
func (g *groups) end(env *sim.Env) {
	p := &g.pass
	p.under = false
	env.Record(passUnits, int64(g.dispatcher.Amounts().CatchUpUnits-p.units))
	p.candidates, p.scan = p.candidates[:0], p.scan[:0]
	switch {
	case p.owed:
		g.period = periodBusy
	case p.served:
		g.period = periodStalled
	default:
		g.period = periodIdle
	}
	g.arm(env)
}
