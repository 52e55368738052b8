package informer

import "github.com/watchbed/watchbed/sim"

// heedShared is what becomes of the Reflector by a step, its own or one of the shared informer's: while the queue
// is locked it takes nothing, and when the program has stopped the informer it ends.
func (r *Informer) heedShared(env *sim.Env) {
	s := r.shared
	if s == nil {
		return
	}
	if s.Stopping() && *r.state.Value() != stateStopped {
		r.stop(env)
	}
	if s.Returned() {
		env.Crash([]sim.NodeID{env.Self()})
		return
	}
	if r.controller != nil {
		r.heedHandler(env)
	}
	if v := s.Version(); v != 0 && v != r.history.last.Version {
		r.noteVersion(v)
	}
	at := *r.state.Value()
	if locked := s.Locked(); *r.held.Look(env) || locked {
		r.held.Set(env, locked)
		for _, c := range [...]sim.Conn{r.rest.Value().call, r.stream.Value().conn} {
			if c == sim.NoConn {
				continue
			}
			switch {
			case locked:
				env.Hold(c)
			case at != stateChecking:
				env.Release(c)
			}
		}
	}
	if at == stateWatching || at == stateWatchGap {
		s.WatchBegins(env)
	} else {
		s.WatchEnds(env)
	}
}

// stop ends the Reflector.
func (r *Informer) stop(env *sim.Env) {
	q := r.rest.Change(env)
	r.noteEnd(env)
	r.leave(env)
	env.Close(q.call)
	q.call = sim.NoConn
	for t := range firstOfShared {
		env.Disarm(t)
	}
	if r.controller != nil {
		r.controller.Stop(env)
	}
	r.state.Set(env, stateStopped)
}

// heedHandler gives the controller what its handler was told in this step.
func (r *Informer) heedHandler(env *sim.Env) {
	h := r.shared.Handlers()[0]
	stopped := *r.state.Value() == stateStopped
	if key := h.TakeTold(); key != "" && !stopped {
		r.controller.Told(env, key)
	}
	if h.HasSynced() && !stopped {
		r.controller.Begin(env)
	}
}
