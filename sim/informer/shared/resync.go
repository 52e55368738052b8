package shared

import "github.com/watchbed/watchbed/sim"

type resyncs struct {
	// resyncing: a ListAndWatch watches. needed: handlers want a resync that is not queued yet.
	resyncing, needed bool
	// checks is how often the period was over, untimed.
	checks int
}

// WatchBegins starts the goroutine of the resync: a ListAndWatch watches.
func (s *Informer) WatchBegins(env *sim.Env) {
	if s.resyncPeriod() > 0 && !s.Resyncing() {
		s.resync.Change(env).resyncing = true
		s.armResync(env)
	}
}

// Resyncing reports whether that goroutine runs.
func (s *Informer) Resyncing() bool { return s.resync.Value().resyncing }

// CheckPeriod is how often it looks whether a handler's period is over.
func (s *Informer) CheckPeriod() sim.Duration { return s.resyncPeriod() }

// WatchEnds ends it.
func (s *Informer) WatchEnds(env *sim.Env) {
	if s.Resyncing() {
		s.resync.Change(env).resyncing = false
		env.Disarm(s.timer(timerResync))
	}
}

// resyncPeriod is resyncCheckPeriod: the shortest of all handlers that were added before the
// start.
func (s *Informer) resyncPeriod() sim.Duration { return s.cfg.Resync }

func (s *Informer) armResync(env *sim.Env) {
	if env.Mode() == sim.Untimed {
		r := s.resync.Value()
		if r.checks == s.cfg.Resyncs {
			return
		}
		r.checks++
	}
	env.Arm(s.timer(timerResync), s.resyncPeriod())
}

// checkResync is a turn of startResync. needed: it is one that has asked the handlers already.
func (s *Informer) checkResync(env *sim.Env) {
	r, p := s.resync.Change(env), s.processor.Change(env)
	if !r.needed {
		if !p.lock.lock(TaskResync) {
			return
		}
		r.needed = s.shouldResync(env)
	}
	if r.needed {
		if s.fifo.Look(env).locked {
			s.fifo.Change(env).resyncWaits = true
			return
		}
		r.needed = false
		resyncQueued.Say(env)
		s.queueResync(env)
	}
	if r.resyncing {
		s.armResync(env)
	}
}

// shouldResync asks all handlers.
func (s *Informer) shouldResync(env *sim.Env) bool {
	needed := false
	for _, h := range s.handlers {
		if !h.Value().registered {
			continue
		}
		l := h.Change(env)
		l.syncing = h.period > 0 && env.Elapsed(l.resynced, h.period)
		if l.syncing {
			needed = true
			l.resynced = env.Now()
		}
	}
	return needed
}
