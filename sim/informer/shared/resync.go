package shared

import "github.com/watchbed/watchbed/sim"

// WatchBegins starts the goroutine of the resync: a ListAndWatch watches.
func (s *Informer) WatchBegins(env *sim.Env) {
	if s.resyncPeriod() > 0 && !s.resyncing {
		env.Writes(cellResync, 0)
		s.resyncing = true
		s.armResync(env)
	}
}

// Resyncing reports whether that goroutine runs.
func (s *Informer) Resyncing() bool { return s.resyncing }

// CheckPeriod is how often it looks whether a handler's period is over.
func (s *Informer) CheckPeriod() sim.Duration { return s.resyncPeriod() }

// WatchEnds ends it.
func (s *Informer) WatchEnds(env *sim.Env) {
	if s.resyncing {
		env.Writes(cellResync, 0)
		s.resyncing = false
		env.Disarm(s.timer(timerResync))
	}
}

// resyncPeriod is resyncCheckPeriod: the shortest of all handlers that were added before the
// start.
func (s *Informer) resyncPeriod() sim.Duration { return s.cfg.Resync }

func (s *Informer) armResync(env *sim.Env) {
	if env.Mode() == sim.Untimed {
		if s.checks == s.cfg.Resyncs {
			return
		}
		s.checks++
	}
	env.Arm(s.timer(timerResync), s.resyncPeriod())
}

// resync is a turn of startResync. needed: it is one that has asked the handlers already.
func (s *Informer) resync(env *sim.Env) {
	env.Writes(cellResync, 0)
	env.Writes(cellProcessor, 0)
	if !s.needed {
		if !s.processor.lock.lock(TaskResync) {
			return
		}
		s.needed = s.shouldResync(env)
	}
	if s.needed {
		env.LooksAt(cellQueue, 0)
		if s.fifo.locked {
			env.Writes(cellQueue, 0)
			s.fifo.resyncWaits = true
			return
		}
		s.needed = false
		if env.Noting() {
			env.Note(resyncQueued{})
		}
		s.queueResync(env)
	}
	if s.resyncing {
		s.armResync(env)
	}
}

// shouldResync asks all handlers.
func (s *Informer) shouldResync(env *sim.Env) bool {
	needed := false
	for i, h := range s.handlers {
		if !h.registered {
			continue
		}
		env.Writes(cellHandler, i)
		h.syncing = h.period > 0 && env.Elapsed(h.resynced, h.period)
		if h.syncing {
			needed = true
			h.resynced = env.Now()
		}
	}
	return needed
}
