package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// WaitUntilFresh is waitUntilFreshLocked up to cond.Wait. Unset is below every
// resourceVersion: such a read does not wait.
func (r *Read) WaitUntilFresh(env *sim.Env, wanted int64) {
	r.waitUntilFresh(env, wanted, r.d.cfg.BlockTimeout)
}

func (r *Read) waitUntilFresh(env *sim.Env, wanted int64, patience sim.Duration) {
	d := r.d
	r.wanted = wanted
	if r.isFresh(env) && d.rules.lock.Free(env) {
		env.Cover(readFreshAtOnce)
		r.measureNoWait(env)
		if r.consistent {
			d.rules.fallback.ServedAtOnce(env)
		}
		r.serve(env)
		return
	}
	env.Cover(readWaits)
	if env.Noting() {
		env.Note(waits{from: r.from, what: r.label(), wanted: wanted, proof: r.proof != 0, at: d.cfg.Store.Version()})
	}
	env.Writes(cellWait, r.number)
	env.Writes(cellTurn, r.number)
	env.Writes(cellWaiting, 0)
	r.state, r.began = waiting, env.Now()
	d.waiting++
	env.Arm(r.timer, patience)
	if !d.cfg.Surroundings.ConsistentReadSupported(env) {
		return
	}
	if r.get == nil || !d.cfg.SilentGets {
		r.countsForProgress = true
		d.cfg.Requester.Add(env)
	} else if env.Noting() {
		env.Note(waitsSilently{wanted})
	}
}

// isFresh reports whether the cache has got to where the read wants it.
func (r *Read) isFresh(env *sim.Env) bool {
	if r.proof != 0 {
		return r.d.cfg.Requester.Proved(env, r.proof)
	}
	return r.wanted <= r.d.cfg.Store.ResourceVersion(env)
}

// Broadcast wakes every read that waits. Each looks again in a step of its own.
func (d *Delegator) Broadcast(env *sim.Env) {
	env.LooksAt(cellWaiting, 0)
	if d.waiting == 0 {
		return
	}
	for _, r := range d.reads {
		if r.state == waiting {
			env.Writes(cellTurn, r.number)
			r.state = woken
			env.Enable(r.task)
		}
	}
}

// Expire is the goroutine beside the read that sleeps for its time: it does not
// end the read, it makes it look.
func (r *Read) Expire(env *sim.Env) {
	env.Writes(cellTurn, r.number)
	r.expired = true
	r.d.Broadcast(env)
}

// Run is one turn of the loop around cond.Wait.
func (r *Read) Run(env *sim.Env) {
	env.Under(r.cause)
	env.Reads(cellWait, r.number)
	env.LooksAt(cellTurn, r.number)
	switch {
	case !r.d.rules.lock.Free(env):
		// Behind the event that waits for the lock.
	case r.isFresh(env):
		if r.expired {
			env.Cover(readFreshAtTheLast)
		}
		r.stopWaiting(env)
		if r.consistent {
			r.d.rules.fallback.ServedAfterWait(env, r)
		}
		env.Cover(readFreshAfterWait)
		r.serve(env)
	case r.expired:
		env.Reads(cellTurn, r.number)
		r.stopWaiting(env)
		r.timeOut(env)
	default:
		env.Cover(readWokenEarly)
		env.Writes(cellTurn, r.number)
		env.Writes(cellWaiting, 0)
		r.state = waiting
	}
}

func (r *Read) stopWaiting(env *sim.Env) {
	env.WritesItem(cellTurn, r.number, sim.NoItem)
	env.Writes(cellWaiting, 0)
	r.d.waiting--
	r.measureWait(env)
	env.Disarm(r.timer)
	if r.countsForProgress {
		r.countsForProgress = false
		r.d.cfg.Requester.Remove(env)
	}
}

// timeOut is what GetList does with a read that waited in vain.
func (r *Read) timeOut(env *sim.Env) {
	if env.Noting() {
		env.Note(gaveUp{from: r.from, what: r.label(), wanted: r.wanted, at: r.d.cfg.Store.Version()})
	}
	if !r.consistent {
		env.Cover(readTimedOut)
		r.finish(env, tooLarge)
		return
	}
	if r.list != nil && (r.list.Match == wire.MatchMostRecent || r.list.KeysOnly) {
		// KEP-3157 has the informer ask again, and for Cacher.getKeys there is no fallback.
		reject(env, r)
		return
	}
	r.d.rules.fallback.TimedOut(env)
	r.d.rules.onTimeout(env, r)
}

// OnTimeout is the value of the option on-timeout.
type OnTimeout uint8

// TimeoutRule ends a consistent LIST that the cache could not serve within
// Limits.BlockTimeout.
type TimeoutRule func(env *sim.Env, r *Read)

// Timeouts is the seam of what becomes of a consistent LIST that waited in vain
// (KEP-2340, "What if the watch cache is stale?").
var Timeouts = option.NewSeam[OnTimeout, TimeoutRule]("on-timeout", "what becomes of a consistent LIST when the cache is not fresh after 3 s").
	Shipped("reject", "504 with cause ResourceVersionTooLarge (KEP-2340)", reject)

// The other values of on-timeout.
var (
	OnTimeoutFallback = Timeouts.Register("fallback", "etcd answers: the default since Kubernetes 1.31", fallBack)
	OnTimeoutThrottle = Timeouts.Register("throttle", "429 (the alpha gate ConsistentListFromCacheSkipTimeoutFallback)", throttle)
)

func reject(env *sim.Env, r *Read) {
	env.Cover(consistentRejected)
	r.Refuse(env, tooLarge)
}

func fallBack(env *sim.Env, r *Read) {
	env.Cover(consistentFallback)
	r.AskEtcd(env, wire.FromFallback)
}

func throttle(env *sim.Env, r *Read) {
	env.Cover(consistentThrottled)
	r.Refuse(env, throttled)
}

// FreshnessLock is the value of the option freshness-lock.
type FreshnessLock uint8

// Lock is the cache's lock, as far as a watch may hold it while it waits for the
// cache to be fresh.
type Lock interface {
	Reset()
	// Admit reports whether an event gets the lock. One that does not get it never
	// will.
	Admit(env *sim.Env, d *Delegator, e *wire.WatchEvent) bool
	// Free reports whether a read gets the lock.
	Free(env *sim.Env) bool
	Clone() Lock
	Cells(visit sim.CellVisitor)
}

// Locks is the seam of what a WatchList does with the cache's lock while it waits
// for the cache to be fresh.
var Locks = option.NewSeam[FreshnessLock, func() Lock]("freshness-lock",
	"what a WatchList does with the cache's lock while it waits for the cache to be fresh").
	Shipped("released", "it gives the lock back: events come in", func() Lock { return released{} })

type released struct{}

// Reset implements Lock.
func (released) Reset() {}

// Admit implements Lock.
func (released) Admit(*sim.Env, *Delegator, *wire.WatchEvent) bool { return true }

// Free implements Lock.
func (released) Free(*sim.Env) bool { return true }

// Clone implements Lock.
func (released) Clone() Lock { return released{} }

// Cells implements Lock.
func (released) Cells(sim.CellVisitor) {}

var (
	tooLarge = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version", RetryAfter: 1}
	// tooLargeForEtcd is the same from etcd's own store, which does not say when
	// to come back.
	tooLargeForEtcd = &wire.Error{Code: wire.TooLargeResourceVersion, Message: "Too large resource version for etcd"}
	throttled       = &wire.Error{Code: wire.TooManyRequests, Message: "Too large resource version: retry after 1 s", RetryAfter: 1}
	unavailable     = &wire.Error{Code: wire.Unavailable, Message: "etcd went away"}
)
