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
	switch {
	case s.loop.at == telling && s.loop.reads:
		say("the process loop holds the lock of the listeners and", "their goroutines to be started")
	case s.loop.at == telling:
		say("the process loop", "the goroutines of the listeners to be started")
	}
	if s.program.adding {
		say("AddEventHandler", "the goroutines of the listeners to be started")
	}
	locked := slices.Concat(s.processor.lock.writers, s.processor.lock.behind)
	if i := slices.Index(locked, TaskListeners); i >= 0 {
		locked = slices.Delete(locked, i, i+1)
		say("processor.run, which is to start these goroutines,", "the lock of the listeners")
	}
	for _, t := range locked {
		say(goroutine(t), "the lock of the listeners")
	}
	for _, t := range s.blockDeltas.waiting {
		say(goroutine(t), "blockDeltas")
	}
	if s.processor.stopped && !s.Returned() {
		for i, h := range s.handlers {
			if h.watches {
				say("Run", "watchSynced of "+name(i)+", which has no listener")
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
