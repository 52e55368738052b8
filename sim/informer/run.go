package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

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
