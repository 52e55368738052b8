package mvcc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
)

// Channel is a Go channel between two loops of a server: one of limited capacity, whose receiver takes from it in a
// select. It is empty after Make. Each entry is an item of its cell.
type Channel[T any] struct {
	queue arena.Queue[T]
	room  int          `cell:"-"`
	cell  sim.CellKind `cell:"-"`
	index int          `cell:"-"`
	// receiver is the task that takes the next entry; receiving: it is in its
	// select, so that an entry wakes it.
	receiver  sim.Task `cell:"-"`
	receiving bool     `cell:"-"`
}

// Make empties the channel. It holds room entries, its cell is that of index, and
// receiver is in its select.
func (c *Channel[T]) Make(room int, cell sim.CellKind, index int, receiver sim.Task) {
	c.queue.Clear()
	*c = Channel[T]{queue: c.queue, room: room, cell: cell, index: index, receiver: receiver, receiving: true}
}

// Len is the number of entries.
func (c *Channel[T]) Len() int { return c.queue.Len() }

// All lists the entries, the oldest first. The caller must not change them.
func (c *Channel[T]) All() []T { return c.queue.All() }

// Full reports whether there is no room. If there is none, the step depends on what
// is in the channel.
func (c *Channel[T]) Full(env *sim.Env) bool {
	if c.queue.Len() < c.room {
		return false
	}
	env.Reads(c.cell, c.index)
	return true
}

// Send puts an entry into the channel, which has room, and wakes the receiver.
func (c *Channel[T]) Send(env *sim.Env, v T) {
	env.WritesItem(c.cell, c.index, c.queue.Next())
	c.queue.Push(v)
	if c.receiving {
		env.Enable(c.receiver)
	}
}

// Receive takes the oldest entry; there must be one.
func (c *Channel[T]) Receive(env *sim.Env) T {
	env.ReadsItem(c.cell, c.index, c.queue.First())
	env.WritesItem(c.cell, c.index, c.queue.First())
	return c.queue.Pop()
}

// Select has the receiver wait for entries again, and take one if there is any.
func (c *Channel[T]) Select(env *sim.Env) {
	c.receiving = true
	if c.queue.Len() > 0 {
		env.Enable(c.receiver)
	}
}

// Leave has the receiver do something else.
func (c *Channel[T]) Leave(env *sim.Env) {
	c.receiving = false
	env.Disable(c.receiver)
}

// Clone is a channel of its own with the same entries.
func (c *Channel[T]) Clone() Channel[T] {
	d := *c
	d.queue = c.queue.Clone()
	return d
}
