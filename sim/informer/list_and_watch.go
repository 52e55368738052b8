package informer

import "github.com/watchbed/watchbed/sim"

// listAndWatch begins a ListAndWatch.
func (r *Informer) listAndWatch(env *sim.Env) {
	r.cause = env.Begin("list and watch", r.starts)
	if r.starts > 0 {
		env.Cover(relisted)
	}
	r.starts++
	env.Writes(cellStream, 0)
	r.stream = stream{}
	if r.cfg.List == ByWatchList {
		r.watchList(env)
	} else {
		r.list(env)
	}
}

// endListAndWatch: the next ListAndWatch follows after the backoff.
func (r *Informer) endListAndWatch(env *sim.Env) {
	env.Writes(cellState, 0)
	r.state = stateGap
	env.Arm(timerBackoff, r.cfg.Rules.Waits(r.backoff.delay(env, r.timed)))
}

// backOff waits before the same watch is requested again.
func (r *Informer) backOff(env *sim.Env, s state) {
	env.Cover(backedOff)
	env.Writes(cellState, 0)
	r.state = s
	env.Arm(timerBackoff, r.cfg.Rules.Waits(r.backoff.delay(env, r.timed)))
}
