package shared

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

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
