package shared

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// processor is sharedProcessor, without its listeners.
type processor struct {
	lock rwMutex
	// started: the goroutines of the listeners run (listenersStarted).
	started bool
	// stopped: run has ended them, and waits for all of them.
	stopped bool
}

// distribute gives the next notification to all listeners. It reports false if it has to wait.
func (s *Informer) distribute(env *sim.Env) bool {
	p, n := s.processor.Read(env), s.loop.Value().tell[0]
	if s.cfg.DistributesLocked {
		return s.distributeHolding(env, n)
	}
	if !p.started && s.listening() > 0 {
		env.Cover(waitedForListeners)
		return false
	}
	for i := range s.handlers {
		s.distributeTo(env, i, n)
	}
	return true
}

// distributeHolding keeps the lock until all have been told.
func (s *Informer) distributeHolding(env *sim.Env, n Notification) bool {
	p, l := s.processor.Change(env), s.loop.Value()
	if !l.reads {
		if !p.lock.rLock(TaskProcess) {
			return false
		}
		l.reads, l.to = true, 0
	}
	for ; l.to < len(s.handlers); l.to++ {
		if h := s.handlers[l.to].Value(); h.registered && !h.started {
			env.Cover(waitedForListeners)
			return false
		}
		s.distributeTo(env, l.to, n)
	}
	l.reads = false
	p.lock.rUnlock(env)
	return true
}

func (s *Informer) distributeTo(env *sim.Env, i int, n Notification) {
	if h := s.handlers[i].Look(env); h.registered && (h.syncing || !n.Resyncs() && !n.asResync) {
		s.add(env, i, n)
	}
}

// listening is how many listeners there are.
func (s *Informer) listening() int {
	n := 0
	for _, h := range s.handlers {
		if h.Value().registered {
			n++
		}
	}
	return n
}

// runProcessor is sharedProcessor.run: the start of all listeners, and their end.
func (s *Informer) runProcessor(env *sim.Env) {
	p := s.processor.Change(env)
	switch {
	case p.stopped:
	case p.started:
		s.stopListeners(env)
	case s.cfg.DistributesLocked:
		// It was the lock for reading.
		if p.lock.rLock(TaskListeners) {
			s.startListeners(env)
			p.lock.rUnlock(env)
		}
	case p.lock.lock(TaskListeners):
		s.startListeners(env)
	}
}

func (s *Informer) startListeners(env *sim.Env) {
	s.processor.Value().started = true
	for i, h := range s.handlers {
		if h.Value().registered {
			s.startListener(env, i)
			s.watchSynced(env, i)
		}
	}
	l := s.loop.Look(env)
	if l.at == telling {
		env.Enable(TaskProcess)
	}
	if s.program.Look(env).adding {
		env.Enable(TaskProgram)
	}
	if l.at == ended {
		env.Enable(TaskListeners)
	}
}

// startListener starts pop and run.
func (s *Informer) startListener(env *sim.Env, i int) {
	s.handlers[i].Change(env).started = true
}

// stopListeners closes the channels of all listeners. Their goroutines end at once, and drop what
// has not been handled.
func (s *Informer) stopListeners(env *sim.Env) {
	s.processor.Value().stopped = true
	for i, h := range s.handlers {
		if l := h.Change(env); l.registered {
			l.end(env, i)
		}
	}
	env.Disable(TaskSynced)
}

// end ends the goroutines of a listener.
func (h *listener) end(env *sim.Env, i int) {
	h.registered, h.watches, h.pending = false, false, nil
	env.Disable(taskHandle(i))
	env.Disable(taskLearn(i))
}

type place uint8

const (
	// idle: the loop waits for a delta.
	idle place = iota
	// taking: it has a batch, and waits for blockDeltas.
	taking
	// telling: the batch is in the store, and handlers are told of it.
	telling
	// ended: the informer has been stopped.
	ended
)

// loop is controller.processLoop.
type loop struct {
	at    place
	batch []delta
	// taken is how many deltas it has taken off the queue, initial whether the first list has not
	// been processed.
	taken   int
	initial bool
	// tell is what handlers are still to be told.
	tell []Notification
	// reads: it holds the lock of the listeners, and to is the first that has not been told.
	reads bool
	to    int
	// stopping: the informer is to end.
	stopping bool
}

// process is a step of the loop.
func (s *Informer) process(env *sim.Env) {
	l := s.loop.Change(env)
	switch l.at {
	case ended:
		return
	case idle:
		if !s.take(env) {
			return
		}
		l.at = taking
		fallthrough
	case taking:
		if !s.blockDeltas.Change(env).lock(TaskProcess) {
			env.Cover(waitedForBlockDeltas)
			return
		}
		s.apply(env)
		l.at = telling
	case telling:
		if !s.distribute(env) {
			return
		}
		if l.tell = slices.Delete(l.tell, 0, 1); len(l.tell) == 0 && len(l.batch) > 0 {
			s.apply(env)
		}
	}
	if len(l.tell) > 0 {
		env.Enable(TaskProcess)
		return
	}
	s.processed(env)
}

// processed is the end of PopBatch.
func (s *Informer) processed(env *sim.Env) {
	s.blockDeltas.Change(env).unlock(env)
	if !s.cfg.CountsTaken {
		s.countDown(env)
	}
	s.unlock(env)
	l := s.loop.Value()
	*l = loop{batch: l.batch, tell: l.tell, stopping: l.stopping}
	switch {
	case l.stopping:
		s.endLoop(env)
	case len(s.fifo.Value().items) > 0:
		env.Enable(TaskProcess)
	}
}
