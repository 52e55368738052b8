package etcdcache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
)

// demux gives the events of etcd's watch to watchers.
type demux struct {
	// minRev and maxRev are the revisions of which it has the history, 0 if it has none.
	minRev, maxRev int64
	history        []batch
	// watchers are by their number. Those that are active or lagging are registered.
	watchers []watcher
}

// batch is the events of one revision.
type batch []wire.Event

func (b batch) rev() int64 { return b[0].Kv.ModRevision }

// append adds a batch, and returns the revision that the history has lost for it, 0 if none.
func (d *demux) append(b batch, capacity int) (lost int64) {
	if len(d.history) == capacity {
		lost = d.history[0].rev()
		d.history = slices.Delete(d.history, 0, 1)
	}
	d.history = append(d.history, b)
	return lost
}

// register is Register: a watcher from a revision on, 0 for the next.
func (c *Cache) register(env *sim.Env, w watcher, from int64) int {
	d := c.demux.Change(env)
	w.status, w.next = watcherActive, from
	switch {
	case d.maxRev == 0:
		if from != 0 {
			w.status = watcherLagging
		}
	case from == 0:
		w.next = d.maxRev + 1
	case from <= d.maxRev:
		w.status = watcherLagging
	}
	i := slices.IndexFunc(d.watchers, func(w watcher) bool { return w.status == watcherNone })
	if i < 0 {
		i = len(d.watchers)
		d.watchers = append(d.watchers, watcher{})
	}
	d.watchers[i] = w
	c.awaitResync(env)
	return i
}

// unregister is Unregister, of the watcher of the store: what is in its channel is applied.
func (c *Cache) unregister(env *sim.Env, i int) {
	d := c.demux.Change(env)
	if w := &d.watchers[i]; w.store && w.status != watcherNone {
		d.stop(env, i)
	}
}

// stop closes the channel of a watcher, which is registered no more.
func (d *demux) stop(env *sim.Env, i int) {
	w := &d.watchers[i]
	if w.deaf {
		d.free(env, i)
		return
	}
	w.status, w.closed = watcherStopped, true
	env.Enable(watcherTask(i))
}

// free forgets a watcher whose goroutine has ended.
func (d *demux) free(env *sim.Env, i int) {
	d.watchers[i] = watcher{}
	env.Disable(watcherTask(i))
}

// awaitResync sets the timer of resyncLoop while there is something for it to do.
func (c *Cache) awaitResync(env *sim.Env) {
	d := c.demux.Value()
	if !env.Armed(timerResync) && d.minRev != 0 && slices.ContainsFunc(d.watchers, func(w watcher) bool { return d.canResync(&w, c.cfg.WatchCapacity) }) {
		// The ticks of the original are those of one ticker.
		env.Arm(timerResync, resyncInterval-sim.Duration(env.Now())%resyncInterval)
	}
}

// canResync reports whether a turn of resyncLoop does something about a watcher.
func (d *demux) canResync(w *watcher, capacity int) bool {
	if w.status != watcherLagging || w.next < d.minRev || len(w.respCh) < capacity {
		return w.status == watcherLagging
	}
	i := slices.IndexFunc(d.history, func(b batch) bool { return b.rev() >= w.next })
	return i < 0 || !w.store && !slices.ContainsFunc(d.history[i], func(e wire.Event) bool { return w.matches(e.Kv.Key) })
}

// init is Init, when a watch of etcd has begun.
func (c *Cache) init(env *sim.Env, minRev int64) {
	d := c.demux.Change(env)
	switch {
	case d.minRev == 0:
	case minRev == d.maxRev+1 && d.maxRev != 0 && !c.cfg.Library.EndsWatchers:
		return
	default:
		c.purge(env, d)
	}
	d.minRev = minRev
	c.awaitResync(env)
}

func (c *Cache) purge(env *sim.Env, d *demux) {
	env.Cover(purged)
	d.maxRev, d.minRev, d.history = 0, 0, nil
	for i := range d.watchers {
		w := &d.watchers[i]
		if !w.isRegistered() || w.store && !c.cfg.Library.EndsStoreWatcher {
			continue
		}
		if w.store {
			env.Cover(storeWatcherStopped)
		}
		d.stop(env, i)
	}
	purges.Say(env)
}

// broadcast is Broadcast. It returns an error in words, empty if there is none.
func (c *Cache) broadcast(env *sim.Env, p *wire.WatchResponse) string {
	d := c.demux.Change(env)
	if d.minRev == 0 {
		return "demux: not initialized"
	}
	if err := validateRevisions(p, d.maxRev); err != "" {
		env.Cover(broadcastRefused)
		return err
	}
	switch {
	case p.IsProgressNotify():
		d.maxRev = p.Revision
		c.broadcastProgress(env, d, p.Revision)
	case len(p.Events) > 0:
		for i := range p.Events {
			broadcasts.Say(env, p.Events[i].Kv.ModRevision)
		}
		c.remember(d, p.Events)
		c.broadcastEvents(env, d, p.Events)
	}
	c.awaitResync(env)
	return ""
}

// validateRevisions says in words what is wrong with the revisions of a response, nothing if that is empty.
func validateRevisions(p *wire.WatchResponse, latest int64) string {
	if p.IsProgressNotify() {
		if p.Revision < latest {
			return "cache: progress notification out of order"
		}
		return ""
	}
	for i := range p.Events {
		switch rev := p.Events[i].Kv.ModRevision; {
		case rev < latest:
			return "cache: stale event batch"
		case rev == latest:
			return "cache: duplicate revision batch breaks atomic guarantee"
		}
	}
	return ""
}

// remember is updateStoreLocked for events: the history has a batch for each revision.
func (c *Cache) remember(d *demux, events []wire.Event) {
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].Kv.ModRevision == events[0].Kv.ModRevision {
			n++
		}
		if lost := d.append(events[:n:n], c.cfg.RingCapacity); lost != 0 {
			d.minRev = lost + 1
			if c.mistake(cache.ShortHistory) {
				d.minRev = lost
			}
		}
		d.maxRev = events[0].Kv.ModRevision
		events = events[n:]
	}
}

func (c *Cache) broadcastProgress(env *sim.Env, d *demux, rev int64) {
	for i := range d.watchers {
		w := &d.watchers[i]
		if w.status != watcherActive || w.next > rev {
			continue
		}
		if w.next == rev && c.cfg.Library.LeavesOutNextProgress {
			env.Cover(nextProgressLeftOut)
			progressLeftOut.Say(env, rev, i+1)
			continue
		}
		if c.enqueue(env, d, i, &wire.WatchResponse{Revision: rev}) {
			w.next = rev + 1
		}
	}
}

func (c *Cache) broadcastEvents(env *sim.Env, d *demux, events []wire.Event) {
	first, last := events[0].Kv.ModRevision, events[len(events)-1].Kv.ModRevision
	for i := range d.watchers {
		w := &d.watchers[i]
		if w.status != watcherActive {
			continue
		}
		if w.next != 0 && first > w.next {
			env.Cover(lagsBehindGap)
			w.status = watcherLagging
			continue
		}
		from := slices.IndexFunc(events, func(e wire.Event) bool { return e.Kv.ModRevision >= w.next })
		switch {
		case from < 0:
		case c.enqueue(env, d, i, &wire.WatchResponse{Events: events[from:]}), c.mistake(cache.TakenForSent):
			w.next = last + 1
		default:
			env.Cover(lags)
			w.status = watcherLagging
		}
	}
}

// resyncLaggingWatchers is one turn of resyncLoop.
func (c *Cache) resyncLaggingWatchers(env *sim.Env) {
	d := c.demux.Change(env)
	for i := range d.watchers {
		w := &d.watchers[i]
		if w.status != watcherLagging {
			continue
		}
		if w.next < d.minRev {
			env.Cover(watcherCompacted)
			w.compacted = true
			d.stop(env, i)
			continue
		}
		if c.resync(env, d, i) {
			if (d.maxRev > w.next || d.maxRev == w.next && !c.cfg.Library.LeavesOutNextProgress) && c.enqueue(env, d, i, &wire.WatchResponse{Revision: d.maxRev}) {
				w.next = d.maxRev + 1
			}
			w.status = watcherActive
		}
	}
	c.awaitResync(env)
}

// resync replays the history to a watcher. It returns false if that has no room for all of it.
func (c *Cache) resync(env *sim.Env, d *demux, i int) bool {
	w := &d.watchers[i]
	for _, b := range d.history {
		if b.rev() < w.next {
			continue
		}
		if !c.enqueue(env, d, i, &wire.WatchResponse{Events: b}) {
			return false
		}
		w.next = b.rev() + 1
	}
	return true
}

// enqueue is enqueueResponse. It returns false if the channel is full.
func (c *Cache) enqueue(env *sim.Env, d *demux, i int, p *wire.WatchResponse) bool {
	w := &d.watchers[i]
	if !p.IsProgressNotify() && !w.store {
		var mine []wire.Event
		for _, e := range p.Events {
			if w.matches(e.Kv.Key) {
				mine = append(mine, e)
			}
		}
		if len(mine) == 0 {
			return true
		}
		p = &wire.WatchResponse{Events: mine}
	}
	if len(w.respCh) == c.cfg.WatchCapacity {
		return false
	}
	w.respCh = append(w.respCh, p)
	if !w.store {
		for i := range p.Events {
			enqueues.Say(env, p.Events[i].Kv.ModRevision, w.conn)
		}
	}
	if !w.deaf {
		env.Enable(watcherTask(i))
	}
	return true
}

// requestor is progressRequestor: while reads wait, etcd is asked for progress once a period.
type requestor struct {
	waiting int
	// fired: the tick of the timer waits for a read.
	fired bool
}

func (c *Cache) addWaiting(env *sim.Env) {
	q := c.request.Change(env)
	q.waiting++
	if q.fired {
		env.Enable(taskProgress)
	}
}

func (c *Cache) removeWaiting(env *sim.Env) { c.request.Change(env).waiting-- }

// progressTimer takes the tick of the timer.
func (c *Cache) progressTimer(env *sim.Env) {
	c.request.Change(env).fired = true
	c.signalled(env)
}

// signalled requests progress if a read waits.
func (c *Cache) signalled(env *sim.Env) {
	q := c.request.Change(env)
	if q.waiting == 0 || !q.fired {
		return
	}
	q.fired = false
	env.Arm(timerProgress, c.cfg.ProgressRequestPeriod)
	requestsProgress.Say(env)
	// A call that waits until its stream is open again is the only one: no other connection has the number.
	c.client.RequestProgress(env, sim.NoConn, &progressRequest)
}

var progressRequest wire.ProgressRequest
