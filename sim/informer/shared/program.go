package shared

import (
	"slices"

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

// goOn arms the timer for what is to be done next.
func (s *Informer) goOn(env *sim.Env) {
	last := s.cfg.Late + s.cfg.Removed
	if p := s.program.Value(); p.next < last || p.next == last && p.stops > 0 {
		env.Arm(s.timer(timerProgram), s.cfg.after())
	}
}

// act does what comes next, or goes on with it after it has waited.
func (s *Informer) act(env *sim.Env) {
	p := s.program.Change(env)
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
	h, p, store := s.handlers[i].Change(env), s.program.Value(), s.store.Read(env)
	s.processor.Change(env)
	version := s.version.Read(env).last
	locks := !s.cfg.AddsUnlocked
	if !p.adding {
		if locks && !s.blockDeltas.Change(env).lock(TaskProgram) {
			env.Cover(lateWaited)
			return false
		}
		if !s.register(env, i) {
			if locks {
				s.blockDeltas.Change(env).unlock(env)
			}
			return false
		}
	}
	if !h.started && store.Len() > 0 {
		// The first notification has no receiver yet.
		env.Cover(lateUnstarted)
		p.adding = true
		return false
	}
	started := h.started && !p.adding
	p.adding = false
	h.joined = version
	store.Ascend(func(kv *wire.KeyValue) bool {
		s.add(env, i, Notification{Kind: Added, New: kv, Initial: true})
		return true
	})
	if started || s.cfg.WatchesSyncAlways {
		s.watchSynced(env, i)
	}
	h.added = true
	handlerAdded.Say(env, name(i), sim.Counted{N: store.Len(), Thing: "object"}, version)
	if locks {
		s.blockDeltas.Change(env).unlock(env)
	}
	return true
}

// register is addListener.
func (s *Informer) register(env *sim.Env, i int) bool {
	p := s.processor.Value()
	if !p.lock.lock(TaskProgram) {
		return false
	}
	h := s.handlers[i].Value()
	h.registered, h.syncing, h.resynced = true, true, env.Now()
	if p.started {
		env.Cover(lateStarted)
		s.startListener(env, i)
	}
	return true
}

// removeHandler is RemoveEventHandler.
func (s *Informer) removeHandler(env *sim.Env, i int) bool {
	p, h, block := s.processor.Change(env), s.handlers[i].Change(env), s.blockDeltas.Change(env)
	if !block.lock(TaskProgram) {
		return false
	}
	defer block.unlock(env)
	if !p.lock.lock(TaskProgram) {
		return false
	}
	h.removed = true
	handlerRemoved.Say(env, name(i))
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
	l := s.loop.Change(env)
	s.program.Value().stops--
	l.stopping = true
	informerStopped.Say(env)
	s.WatchEnds(env)
	if l.at == idle {
		s.endLoop(env)
	}
}

// endLoop is the end of controller.Run: the processor is stopped.
func (s *Informer) endLoop(env *sim.Env) {
	s.loop.Value().at = ended
	if s.processor.Look(env).started {
		env.Enable(TaskListeners)
	}
}

// Stopping reports whether the Reflector has been told to end.
func (s *Informer) Stopping() bool { return s.loop.Value().stopping }

// Returned reports whether Run has returned: no goroutine runs any more.
func (s *Informer) Returned() bool {
	return s.processor.Value().stopped && !slices.ContainsFunc(s.handlers, func(h *Handler) bool { return h.Value().watches })
}
