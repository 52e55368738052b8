package shared

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// mutex is a lock of client-go in the simulation: whether it is held is state of the informer, and it may be held from
// one step to the next. A task that does not get it is enabled when it may try again.
type mutex struct {
	held    bool
	waiting []sim.Task
}

// lock reports whether the task has the lock now.
func (m *mutex) lock(t sim.Task) bool {
	if m.held {
		m.waiting = append(m.waiting, t)
		return false
	}
	m.held = true
	return true
}

func (m *mutex) unlock(env *sim.Env) {
	m.held = false
	if len(m.waiting) > 0 {
		env.Enable(m.waiting[0])
		m.waiting = slices.Delete(m.waiting, 0, 1)
	}
}

// rwMutex is a read-write lock of client-go in the simulation. Its write lock is never held from one step to the next.
// As in Go's package sync a writer that waits keeps readers out.
type rwMutex struct {
	readers         int
	writers, behind []sim.Task
}

// lock reports whether the task may write in this step.
func (m *rwMutex) lock(t sim.Task) bool {
	if m.readers > 0 {
		m.writers = append(m.writers, t)
		return false
	}
	return true
}

// rLock reports whether the task reads from now on.
func (m *rwMutex) rLock(t sim.Task) bool {
	if len(m.writers) > 0 {
		m.behind = append(m.behind, t)
		return false
	}
	m.readers++
	return true
}

func (m *rwMutex) rUnlock(env *sim.Env) {
	m.readers--
	if m.readers > 0 {
		return
	}
	for _, t := range append(m.writers, m.behind...) {
		env.Enable(t)
	}
	m.writers, m.behind = nil, nil
}
