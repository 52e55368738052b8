package state

import (
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
)

// Queue is values of which the first one is taken. An item is a value by its running number.
type Queue[T any] struct {
	place
	queue arena.Queue[T]
}

// Look is the queue only to see whether there is something in it (sim.Env.LooksAt). The caller must not change it.
func (q *Queue[T]) Look(env *sim.Env) *arena.Queue[T] {
	env.LooksAt(q.kind, int(q.index))
	return &q.queue
}

// Push writes one more value at the end.
func (q *Queue[T]) Push(env *sim.Env, x T) {
	env.WritesItem(q.kind, int(q.index), q.queue.Next())
	q.queue.Push(x)
}

// Pop takes out the first value; there must be one.
func (q *Queue[T]) Pop(env *sim.Env) T {
	env.ReadsItem(q.kind, int(q.index), q.queue.First())
	env.WritesItem(q.kind, int(q.index), q.queue.First())
	return q.queue.Pop()
}

// Clear takes out all.
func (q *Queue[T]) Clear(env *sim.Env) {
	env.Writes(q.kind, int(q.index))
	q.queue.Clear()
}

// Value is Var.Value.
func (q *Queue[T]) Value() *arena.Queue[T] { return &q.queue }

func (q *Queue[T]) contents() (reflect.Type, unsafe.Pointer) {
	return reflect.TypeFor[arena.Queue[T]](), unsafe.Pointer(&q.queue)
}

func (q *Queue[T]) empties() func(p unsafe.Pointer) {
	return func(p unsafe.Pointer) { (*Queue[T])(p).queue.Clear() }
}
