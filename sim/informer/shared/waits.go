package shared

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
)

// Waits says which goroutines wait for each other, for a person; empty if none does. It is asked
// when nothing more can happen. What waits for a lock comes behind what holds it.
func (s *Informer) Waits() string {
	var all []string
	say := func(goroutine, waitsFor string) { all = append(all, goroutine+" waits for "+waitsFor) }
	l, lock := s.loop.Value(), &s.processor.Value().lock
	switch {
	case l.at == telling && l.reads:
		say("the process loop holds the lock of the listeners and", "their goroutines to be started")
	case l.at == telling:
		say("the process loop", "the goroutines of the listeners to be started")
	}
	if s.program.Value().adding {
		say("AddEventHandler", "the goroutines of the listeners to be started")
	}
	locked := slices.Concat(lock.writers, lock.behind)
	if i := slices.Index(locked, TaskListeners); i >= 0 {
		locked = slices.Delete(locked, i, i+1)
		say("processor.run, which is to start these goroutines,", "the lock of the listeners")
	}
	for _, t := range locked {
		say(goroutine(t), "the lock of the listeners")
	}
	for _, t := range s.blockDeltas.Value().waiting {
		say(goroutine(t), "blockDeltas")
	}
	if s.processor.Value().stopped && !s.Returned() {
		for i, h := range s.handlers {
			if h.Value().watches {
				say("Run", "watchSynced of "+name(i).String()+", which has no listener")
			}
		}
	}
	return strings.Join(all, "; ")
}

func goroutine(t sim.Task) string {
	return map[sim.Task]string{
		TaskProcess: "the process loop", TaskListeners: "processor.run", TaskResync: "the resync", TaskProgram: "the program",
	}[t]
}
