package read

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// notified is whether etcd sends progress notifications: it is taken to send none if none has come yet, or
// none for Limits.NotifyWithin (the draft of 2019, "Determining if etcd is sending
// progress notify events"). Events do not count, as the draft has it, although
// etcd leaves out the notification of a watch that was sent an event since the last
// one.
type notified struct {
	// heard: etcd has sent progress; last is the time of the last notification.
	heard bool
	last  sim.Time
}

// Notified is called with each progress notification.
func (d *Delegator) Notified(env *sim.Env) {
	if d.cfg.DetectsNotify {
		env.Writes(cellNotified, 0)
		d.notified = notified{true, env.Now()}
	}
}

func (d *Delegator) notifyOverdue(env *sim.Env) bool {
	env.Reads(cellNotified, 0)
	return !d.notified.heard || env.Elapsed(d.notified.last, d.cfg.NotifyWithin)
}

// isSlow reports whether the last consistent read waited long, and another one finds out already whether the next would.
func (d *Delegator) isSlow(env *sim.Env) bool {
	env.Reads(cellSlow, 0)
	if !d.slow {
		return false
	}
	env.LooksAt(cellWaiting, 0)
	return d.waiting > 0
}

func (d *Delegator) setSlow(env *sim.Env, slow bool) {
	env.Writes(cellSlow, 0)
	d.slow = slow
}

// Admit reports whether an event gets the lock, which a WatchList that waits for the cache may hold. One that does not
// get it never will.
func (d *Delegator) Admit(env *sim.Env, e *wire.WatchEvent) bool {
	if !d.cfg.HoldsLock || !d.watchWaits(env) {
		return true
	}
	if env.Noting() {
		env.Note(lockedOut.Of(e))
	}
	env.Writes(cellLock, 0)
	d.stuck = true
	return false
}

// isLocked reports whether an event waits for the lock, and each read behind it.
func (d *Delegator) isLocked(env *sim.Env) bool {
	if !d.cfg.HoldsLock {
		return false
	}
	env.Reads(cellLock, 0)
	return d.stuck
}

func (d *Delegator) watchWaits(env *sim.Env) bool {
	env.LooksAt(cellWaiting, 0)
	return slices.ContainsFunc(d.reads, func(r *Read) bool { return r.watch != nil && r.Waits() })
}
