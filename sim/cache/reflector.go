package cache

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

type reflectorState uint8

const (
	// reflectorGap: between two ListAndWatch, or before the first.
	reflectorGap reflectorState = iota
	// reflectorListing: a page is under way.
	reflectorListing
	// reflectorStreaming: initial events come on the watch.
	reflectorStreaming
	// reflectorWatching: the next event has not come yet.
	reflectorWatching
	// reflectorHandingOff: an event is in the cache, and not yet in the
	// dispatcher's channel. Nothing is taken from the watch meanwhile.
	reflectorHandingOff
)

// reflector is client-go's Reflector below the cacher's startCaching: it lists,
// replaces the contents, watches from there, and starts over when that ends.
type reflector struct {
	state reflectorState
	// starts counts the ListAndWatch so far.
	starts int
	cause  sim.Cause

	// call is the page under way; pages is what came before it, listRevision
	// the revision that the first page fixed for all.
	call         sim.Conn
	pages        []*wire.KeyValue
	listRevision int64

	watch sim.Conn
	// position is lastSyncResourceVersion: where a watch starts. It is of no use
	// for a watch with initial events while unavailable: etcd has refused it
	// (isLastSyncResourceVersionUnavailable).
	position    int64
	unavailable bool
	// began and events tell a watch that ended at once from one that worked.
	began  sim.Time
	events int
	// handOff is the event on its way to the dispatcher.
	handOff store.Event
	// unstored is a change whose version is out and which the store does not have
	// yet (PublicationVersionFirst).
	unstored *wire.WatchEvent
	// deadlocked: an event waits for the lock, and always will
	// (FreshnessLockHeld).
	deadlocked bool

	retry retryWithDeadline
}

// maxInternalErrorRetry is how long the reflector watches again after internal
// errors before it lists again (Reflector.MaxInternalErrorRetryDuration, which
// the cacher sets so that an etcd election does not end all watches).
const maxInternalErrorRetry = 30 * time.Second

// veryShortWatch: a watch that ended earlier, without an event, is taken for a
// failure (client-go's VeryShortWatchError).
const veryShortWatch = time.Second

// startCaching begins a ListAndWatch. Watchers of the time before end only
// here: during the gap they stay, and hear nothing new.
func (c *Cache) startCaching(env *sim.Env) {
	r := &c.reflector
	r.cause = env.Begin("list and watch", r.starts)
	if r.starts > 0 {
		env.Cover(relisted)
	}
	r.starts++
	c.dispatcher.TerminateAllWatchers(env)
	if c.cfg.ReflectorList == ReflectorWatchList && c.cfg.Guard.WatchList != guard.GateDisabled {
		c.watchList(env)
		return
	}
	c.listFrom(env, c.firstPage)
}

func (c *Cache) listFrom(env *sim.Env, first *wire.RangeRequest) {
	r := &c.reflector
	clear(r.pages)
	r.pages = r.pages[:0]
	r.listRevision = 0
	r.state = reflectorListing
	env.Add(etcdRequests[listForReflector], 1)
	r.call = env.Call(c.cfg.KV, first)
}

// listPage takes a page. The list is complete, replaced and watched from in
// one step: nobody sees the reflector between the last page and the lock.
func (c *Cache) listPage(env *sim.Env, p *wire.RangeResponse) {
	r := &c.reflector
	if r.listRevision == 0 {
		r.listRevision = p.Revision
	}
	r.pages = append(r.pages, p.Kvs...)
	if p.More && len(p.Kvs) == 0 {
		// Nobody could say where the next page starts; upstream fails too.
		c.listFailed(env, unavailable)
		return
	}
	if p.More {
		env.Cover(listPaged)
		next := *c.firstPage
		next.Key = p.Kvs[len(p.Kvs)-1].Key + "\x00"
		next.Revision = r.listRevision
		env.Add(etcdRequests[listForReflector], 1)
		r.call = env.Call(c.cfg.KV, &next)
		return
	}
	c.replace(env, r.pages, r.listRevision)
	r.position = r.listRevision
	r.retry = retryWithDeadline{}
	c.startWatch(env)
}

// listFailed: compaction between two pages makes the pager list again in one
// piece, at the newest revision; everything else ends the ListAndWatch.
func (c *Cache) listFailed(env *sim.Env, err *wire.Error) {
	r := &c.reflector
	if err.Code == wire.ErrCompacted && r.listRevision > 0 {
		env.Cover(listExpired)
		whole := *c.firstPage
		whole.Limit = 0
		c.listFrom(env, &whole)
		return
	}
	env.Cover(listFailed)
	c.endListAndWatch(env)
}

func (c *Cache) startWatch(env *sim.Env) {
	r := &c.reflector
	r.state = reflectorWatching
	r.began, r.events = env.Now(), 0
	if env.Noting() {
		env.Say("watches from resourceVersion " + number(r.position) + " on")
	}
	r.watch = env.Open(c.cfg.Watch)
	env.Send(r.watch, &wire.WatchStart{
		Prefix: c.cfg.Prefix, Revision: r.position, ProgressNotify: true, Metadata: c.cfg.Metadata,
	})
}

// watchEvent is one turn of handleAnyWatch.
func (c *Cache) watchEvent(env *sim.Env, e *wire.WatchEvent) {
	r := &c.reflector
	if r.state == reflectorStreaming {
		c.initialEvent(env, e)
		return
	}
	if e.Type != wire.Failed && c.deadlocks() {
		if env.Noting() {
			env.Say("cannot take in " + e.Label() + ": a WatchList holds the lock and waits for just that")
		}
		r.deadlocked = true
		env.Hold(r.watch)
		return
	}
	switch e.Type {
	case wire.Failed:
		c.watchFailed(env, e.Err)
		return
	case wire.Bookmark:
		if c.cfg.Defects.ProgressRV == ProgressRVDispatched {
			r.handOff = store.Event{ResourceVersion: e.ResourceVersion, Bookmark: true}
		} else {
			r.handOff = c.updateResourceVersion(env, e.ResourceVersion, e.ProgressID)
		}
	default:
		if env.Noting() {
			env.Say("takes in " + e.Label())
		}
		r.handOff = c.processEvent(env, e)
	}
	r.position = e.ResourceVersion
	r.events++
	r.state = reflectorHandingOff
	env.Hold(r.watch)
	env.Enable(taskHandOff)
}

// runHandOff is the send on the dispatcher's channel, which blocks while that
// is full.
func (c *Cache) runHandOff(env *sim.Env) {
	r := &c.reflector
	if r.unstored != nil {
		c.store.Update(env, r.unstored)
		c.markedAmidEvent(env)
		r.unstored = nil
	}
	if !c.dispatcher.Offer(env, r.handOff) {
		env.Cover(ingestionBlocked)
		return
	}
	r.handOff = store.Event{}
	r.state = reflectorWatching
	env.Release(r.watch)
}

// watchFailed: an ERROR event ended the watch.
func (c *Cache) watchFailed(env *sim.Env, err *wire.Error) {
	r := &c.reflector
	env.Close(r.watch)
	if err.Code != wire.ErrCompacted && r.retry.again(env) {
		env.Cover(watchRetried)
		c.startWatch(env)
		return
	}
	if err.Code == wire.ErrCompacted {
		env.Cover(watchExpired)
	}
	c.endListAndWatch(env)
}

// watchClosed: the watch ended without saying why.
func (c *Cache) watchClosed(env *sim.Env) {
	r := &c.reflector
	if r.state == reflectorStreaming {
		c.watchListClosed(env)
		return
	}
	if r.events == 0 && !env.Elapsed(r.began, veryShortWatch) {
		env.Cover(watchVeryShort)
		c.endListAndWatch(env)
		return
	}
	env.Cover(watchResumed)
	c.startWatch(env)
}

func (c *Cache) endListAndWatch(env *sim.Env) {
	r := &c.reflector
	r.call, r.watch = sim.NoConn, sim.NoConn
	r.state = reflectorGap
	if c.waiting > 0 {
		env.Cover(unreadyWhileWaiting)
	}
	c.ready.setPending(env.Now())
	env.Arm(timerRelist, c.cfg.RelistDelay)
}

// retryWithDeadline is client-go's: internal errors are retried until they have
// gone on for maxInternalErrorRetry; a quiet minute makes them new ones.
type retryWithDeadline struct {
	failed      bool
	first, last sim.Time
}

func (r *retryWithDeadline) again(env *sim.Env) bool {
	now := env.Now()
	if !r.failed || env.Elapsed(r.last, time.Minute) {
		*r = retryWithDeadline{failed: true, first: now, last: now}
		return true
	}
	r.last = now
	// Exactly 30 s are still within.
	if env.Elapsed(r.first, maxInternalErrorRetry+1) {
		*r = retryWithDeadline{}
		return false
	}
	return true
}

func (r *reflector) fingerprint(d sim.Digest) sim.Digest {
	d = d.Word(uint64(r.state)).Int(r.listRevision).Int(r.position).Bool(r.unavailable).Bool(r.events > 0)
	d = d.Int(int64(r.began)).Bool(r.retry.failed).Int(int64(r.retry.first)).Int(int64(r.retry.last))
	d = d.Int(int64(len(r.pages)))
	for _, kv := range r.pages {
		d = kv.Digest(d)
	}
	if r.unstored != nil {
		d = r.unstored.Digest(d)
	}
	if r.deadlocked {
		d = d.Text("deadlocked")
	}
	return r.handOff.Fingerprint(d)
}
