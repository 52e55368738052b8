package shared

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// program is what the process does with its informer: it adds the late handlers, removes some
// of them, and stops the informer, one after the other.
type program struct {
	// next is the number of the next thing that it does.
	next int
	// adding: a handler has been registered, and is to be listed what there is.
	adding bool
	// stops is how often it may still stop the informer. It outlives processes.
	stops int
}

func (p *program) digest() sim.Digest {
	return sim.NewDigest.Int(int64(p.next)).Bool(p.adding).Int(int64(p.stops))
}

// goOn arms the timer for what is to be done next.
func (s *Informer) goOn(env *sim.Env) {
	last := s.cfg.Late + s.cfg.Removed
	if s.program.next < last || s.program.next == last && s.program.stops > 0 {
		env.Arm(s.timer(timerProgram), s.cfg.after())
	}
}

// act does what comes next, or goes on with it after it has waited.
func (s *Informer) act(env *sim.Env) {
	p := &s.program
	env.Writes(cellProgram, 0)
	done := true
	switch {
	case p.next < s.cfg.Late:
		done = s.addHandler(env, s.cfg.handlers()+p.next)
	case p.next < s.cfg.Late+s.cfg.Removed:
		done = s.removeHandler(env, len(s.handlers)-1-(p.next-s.cfg.Late))
	default:
		s.stop(env)
	}
	if done {
		p.next++
		s.goOn(env)
	}
}

// addHandler is AddEventHandler while the informer runs. It reports false if it has to wait.
func (s *Informer) addHandler(env *sim.Env, i int) bool {
	h := s.handlers[i]
	env.Writes(cellProcessor, 0)
	env.Writes(cellHandler, i)
	env.Reads(cellStore, 0)
	env.Reads(cellVersion, 0)
	locks := !s.cfg.AddsUnlocked
	if !s.program.adding {
		if locks {
			env.Writes(cellBlocked, 0)
			if !s.blockDeltas.lock(TaskProgram) {
				env.Cover(lateWaited)
				return false
			}
		}
		if !s.register(env, i) {
			if locks {
				s.blockDeltas.unlock(env)
			}
			return false
		}
	}
	if !h.started && s.store.Len() > 0 {
		// The first notification has no receiver yet.
		env.Cover(lateUnstarted)
		s.program.adding = true
		return false
	}
	started := h.started && !s.program.adding
	s.program.adding = false
	h.joined = s.version
	s.store.Ascend(func(kv *wire.KeyValue) bool {
		s.add(env, i, Notification{Kind: Added, New: kv, Initial: true})
		return true
	})
	if started || s.cfg.WatchesSyncAlways {
		s.watchSynced(env, i)
	}
	h.added = true
	if env.Noting() {
		env.Note(handlerAdded{i, s.store.Len(), s.version})
	}
	if locks {
		env.Writes(cellBlocked, 0)
		s.blockDeltas.unlock(env)
	}
	return true
}

// register is addListener.
func (s *Informer) register(env *sim.Env, i int) bool {
	h := s.handlers[i]
	if !s.processor.lock.lock(TaskProgram) {
		return false
	}
	h.registered, h.syncing, h.resynced = true, true, env.Now()
	if s.processor.started {
		env.Cover(lateStarted)
		s.startListener(env, i)
	}
	return true
}

// removeHandler is RemoveEventHandler.
func (s *Informer) removeHandler(env *sim.Env, i int) bool {
	env.Writes(cellProcessor, 0)
	env.Writes(cellHandler, i)
	env.Writes(cellBlocked, 0)
	if !s.blockDeltas.lock(TaskProgram) {
		return false
	}
	defer s.blockDeltas.unlock(env)
	if !s.processor.lock.lock(TaskProgram) {
		return false
	}
	h := s.handlers[i]
	h.removed = true
	if env.Noting() {
		env.Note(handlerRemoved{i})
	}
	if h.started {
		h.end(env, i)
	} else {
		env.Cover(removedUnstarted)
		h.registered = false
	}
	return true
}

// stop ends the context of the informer.
func (s *Informer) stop(env *sim.Env) {
	env.Cover(stopped)
	env.Writes(cellLoop, 0)
	s.program.stops--
	s.stopping = true
	if env.Noting() {
		env.Note(informerStopped{})
	}
	s.WatchEnds(env)
	if s.loop.at == idle {
		s.endLoop(env)
	}
}

// endLoop is the end of controller.Run: the processor is stopped.
func (s *Informer) endLoop(env *sim.Env) {
	s.loop.at = ended
	env.LooksAt(cellProcessor, 0)
	if s.processor.started {
		env.Enable(TaskListeners)
	}
}

// Stopping reports whether the Reflector has been told to end.
func (s *Informer) Stopping() bool { return s.stopping }

// Returned reports whether Run has returned: no goroutine runs any more.
func (s *Informer) Returned() bool {
	if !s.processor.stopped {
		return false
	}
	for _, h := range s.handlers {
		if h.watches {
			return false
		}
	}
	return true
}
