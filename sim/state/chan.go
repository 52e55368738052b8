package state

import (
	"reflect"
	"unsafe"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
)

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
	env.Reads(c.kind, int(c.index))
	return true
}

// Send puts a value into the channel, which has room, and wakes the receiver.
func (c *Chan[T]) Send(env *sim.Env, x T) {
	env.WritesItem(c.kind, int(c.index), c.queue.Next())
	c.queue.Push(x)
	if c.receiving {
		env.Enable(c.receiver)
	}
}

// Receive takes the oldest value; there must be one.
func (c *Chan[T]) Receive(env *sim.Env) T {
	env.ReadsItem(c.kind, int(c.index), c.queue.First())
	env.WritesItem(c.kind, int(c.index), c.queue.First())
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
