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
	// tell is what handlers are told of, next the first that they have not been told.
	tell []Notification
	next int
	// reads: it holds the lock of the listeners, and to is the first that has not been told.
	reads bool
	to    int
}

func (l *loop) clone() loop {
	c := *l
	c.batch, c.tell = slices.Clone(l.batch), slices.Clone(l.tell)
	return c
}

func (l *loop) digest() sim.Digest {
	d := sim.NewDigest.Word(uint64(l.at))
	if l.at == idle || l.at == ended {
		return d
	}
	d = d.Int(int64(l.taken)).Bool(l.initial).Bool(l.reads).Int(int64(l.to))
	if l.at == taking {
		for i := range l.batch {
			d = l.batch[i].digest(d)
		}
		return d
	}
	for i := range l.tell[l.next:] {
		d = l.tell[l.next+i].digest(d)
	}
	return d
}

// process is a step of the loop.
func (s *Informer) process(env *sim.Env) {
	l := &s.loop
	env.Writes(cellLoop, 0)
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
		env.Writes(cellBlocked, 0)
		if !s.blockDeltas.lock(TaskProcess) {
			env.Cover(waitedForBlockDeltas)
			return
		}
		s.apply(env)
		l.at, l.next = telling, 0
		if env.Noting() {
			env.Note(processed{deltas: len(l.batch), first: l.batch[0].kind, version: s.version, notifications: len(l.tell)})
		}
	case telling:
		if !s.distribute(env) {
			return
		}
		l.next++
	}
	if l.next < len(l.tell) {
		env.Enable(TaskProcess)
		return
	}
	s.processed(env)
}

// processed is the end of PopBatch.
func (s *Informer) processed(env *sim.Env) {
	l := &s.loop
	env.Writes(cellBlocked, 0)
	env.Writes(cellQueue, 0)
	s.blockDeltas.unlock(env)
	if !s.cfg.CountsTaken {
		s.countDown(env)
	}
	s.unlock(env)
	clear(l.batch)
	clear(l.tell)
	l.batch, l.tell, l.next = l.batch[:0], l.tell[:0], 0
	l.at = idle
	switch {
	case s.stopping:
		s.endLoop(env)
	case len(s.fifo.items) > 0:
		env.Enable(TaskProcess)
	}
}
