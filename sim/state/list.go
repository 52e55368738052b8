package state

import (
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
)

// List is values in an order.
type List[T any] struct {
	place
	all []T
}

// Numbered is a value that is an item of its own in its cell (sim.Cell): others are found
// together with the rest of the list.
type Numbered interface{ Item() int64 }

func (l *List[T]) item(x *T) int64 {
	if n, ok := any(x).(Numbered); ok {
		return n.Item()
	}
	return 0
}

// Add writes one more value at the end.
func (l *List[T]) Add(env *sim.Env, x T) {
	if env.Recording() {
		l.write(env, x)
	}
	l.all = append(l.all, x)
}

// writes is not inlined: item takes an address, which would have each x of Add in the heap.
//
//go:noinline
func (l *List[T]) write(env *sim.Env, x T) { env.WriteItem(l.kind, int(l.index), l.item(&x)) }

// Look is the list, only to see what is in it (sim.Env.LookAt). The caller must not change it.
func (l *List[T]) Look(env *sim.Env) []T {
	env.LookAt(l.kind, int(l.index))
	return l.all
}

// All is Var.Value. The caller must not change it.
func (l *List[T]) All() []T { return l.all }

// Find looks for the first value that matches, and reads it. It returns its place, -1 if there is none.
func (l *List[T]) Find(env *sim.Env, match func(x T) bool) int {
	env.LookAt(l.kind, int(l.index))
	i := slices.IndexFunc(l.all, match)
	if i >= 0 {
		l.Read(env, i)
	}
	return i
}

// Read reads the value in a place.
func (l *List[T]) Read(env *sim.Env, i int) T {
	if env.Recording() {
		env.ReadItem(l.kind, int(l.index), l.item(&l.all[i]))
	}
	return l.all[i]
}

// Put writes another value in a place.
func (l *List[T]) Put(env *sim.Env, i int, x T) {
	if env.Recording() {
		env.WriteItem(l.kind, int(l.index), l.item(&l.all[i]))
	}
	l.all[i] = x
}

// Pop takes out the value in a place.
func (l *List[T]) Pop(env *sim.Env, i int) T {
	x := l.Read(env, i)
	l.Put(env, i, x)
	l.all = slices.Delete(l.all, i, i+1)
	return x
}

// Clear takes out all.
func (l *List[T]) Clear(env *sim.Env) {
	env.Write(l.kind, int(l.index))
	l.clear()
}

func (l *List[T]) clear() {
	clear(l.all)
	l.all = l.all[:0]
}

func (l *List[T]) empties() func(p unsafe.Pointer) {
	return func(p unsafe.Pointer) { (*List[T])(p).clear() }
}

// Take takes out the values that match, one after another. To look for them reads which
// values there are (sim.Env.LookAt).
func (l *List[T]) Take(env *sim.Env, match func(x *T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		env.LookAt(l.kind, int(l.index))
		kept, on := l.all[:0], true
		for i, x := range l.all {
			if !on || !match(&l.all[i]) {
				kept = append(kept, x)
				continue
			}
			if env.Recording() {
				env.ReadItem(l.kind, int(l.index), l.item(&x))
				env.WriteItem(l.kind, int(l.index), l.item(&x))
			}
			on = yield(x)
		}
		clear(l.all[len(kept):])
		l.all = kept
	}
}

// Delete takes out the values that match.
func (l *List[T]) Delete(env *sim.Env, match func(x *T) bool) {
	for range l.Take(env, match) {
	}
}

func (l *List[T]) contents() (reflect.Type, unsafe.Pointer) {
	return reflect.TypeFor[[]T](), unsafe.Pointer(&l.all)
}

// Queue is values of which the first one is taken. An item is a value by its running number.
type Queue[T any] struct {
	place
	queue arena.Queue[T]
}

// Look is the queue only to see whether there is something in it (sim.Env.LookAt). The caller must not change it.
func (q *Queue[T]) Look(env *sim.Env) *arena.Queue[T] {
	env.LookAt(q.kind, int(q.index))
	return &q.queue
}

// Push writes one more value at the end.
func (q *Queue[T]) Push(env *sim.Env, x T) {
	env.WriteItem(q.kind, int(q.index), q.queue.Next())
	q.queue.Push(x)
}

// Pop takes out the first value; there must be one.
func (q *Queue[T]) Pop(env *sim.Env) T {
	env.ReadItem(q.kind, int(q.index), q.queue.First())
	env.WriteItem(q.kind, int(q.index), q.queue.First())
	return q.queue.Pop()
}

// Clear takes out all.
func (q *Queue[T]) Clear(env *sim.Env) {
	env.Write(q.kind, int(q.index))
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

// Chan is a Go channel between two loops of a node: one of limited capacity, whose receiver takes from it in a
// select. An item is a value by its running number.
type Chan[T any] struct {
	place
	queue arena.Queue[T]
	room  int
	// receiver is the task that takes the next value; receiving: it is in its select, so that a value wakes it.
	receiver  sim.Task
	receiving bool
}

// Make empties the channel. It holds room values, and receiver is in its select.
func (c *Chan[T]) Make(room int, receiver sim.Task) {
	c.queue.Clear()
	c.room, c.receiver, c.receiving = room, receiver, true
}

// Len is the number of values.
func (c *Chan[T]) Len() int { return c.queue.Len() }

// All lists the values, the oldest first. The caller must not change them.
func (c *Chan[T]) All() []T { return c.queue.All() }

// Full reports whether there is no room. If there is none, the step depends on what is in the channel.
func (c *Chan[T]) Full(env *sim.Env) bool {
	if c.queue.Len() < c.room {
		return false
	}
	env.Read(c.kind, int(c.index))
	return true
}

// Send puts a value into the channel, which has room, and wakes the receiver.
func (c *Chan[T]) Send(env *sim.Env, x T) {
	env.WriteItem(c.kind, int(c.index), c.queue.Next())
	c.queue.Push(x)
	if c.receiving {
		env.Enable(c.receiver)
	}
}

// Receive takes the oldest value; there must be one.
func (c *Chan[T]) Receive(env *sim.Env) T {
	env.ReadItem(c.kind, int(c.index), c.queue.First())
	env.WriteItem(c.kind, int(c.index), c.queue.First())
	return c.queue.Pop()
}

// Select has the receiver wait for values again, and take one if there is any.
func (c *Chan[T]) Select(env *sim.Env) {
	c.receiving = true
	if c.queue.Len() > 0 {
		env.Enable(c.receiver)
	}
}

// Leave has the receiver do something else.
func (c *Chan[T]) Leave(env *sim.Env) {
	c.receiving = false
	env.Disable(c.receiver)
}

func (c *Chan[T]) contents() (reflect.Type, unsafe.Pointer) {
	return reflect.TypeFor[arena.Queue[T]](), unsafe.Pointer(&c.queue)
}

func (c *Chan[T]) empties() func(p unsafe.Pointer) {
	return func(p unsafe.Pointer) { (*Chan[T])(p).queue.Clear() }
}
