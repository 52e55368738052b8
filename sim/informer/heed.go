package informer

import "github.com/watchbed/watchbed/sim"

// heedShared is what becomes of the Reflector by a step, its own or one of the shared informer's: while the queue
// is locked it takes nothing, and when the program has stopped the informer it ends.
func (r *Informer) heedShared(env *sim.Env) {
	s := r.shared
	if s == nil {
		return
	}
	if s.Stopping() && r.state != stateStopped {
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
		r.shows(v)
	}
	env.LooksAt(cellHeld, 0)
	if locked := s.Locked(); locked || r.held {
		env.Writes(cellHeld, 0)
		r.held = locked
		for _, c := range [...]sim.Conn{r.rest.call, r.stream.conn} {
			if c == sim.NoConn {
				continue
			}
			switch {
			case locked:
				env.Hold(c)
			case r.state != stateChecking:
				env.Release(c)
			}
		}
	}
	if r.state == stateWatching || r.state == stateWatchGap {
		s.WatchBegins(env)
	} else {
		s.WatchEnds(env)
	}
}

// stop ends the Reflector.
func (r *Informer) stop(env *sim.Env) {
	env.Writes(cellState, 0)
	env.Writes(cellRequest, 0)
	r.leaves(env)
	r.leave(env)
	env.Close(r.rest.call)
	r.rest.call = sim.NoConn
	for t := range firstOfShared {
		env.Disarm(t)
	}
	if r.controller != nil {
		r.controller.Stop(env)
	}
	r.state = stateStopped
}

// heedHandler gives the controller what its handler was told in this step.
func (r *Informer) heedHandler(env *sim.Env) {
	h := r.shared.Handlers()[0]
	if key := h.TakeTold(); key != "" && r.state != stateStopped {
		r.controller.Told(env, key)
	}
	if h.HasSynced() && r.state != stateStopped {
		r.controller.Begin(env)
	}
}
