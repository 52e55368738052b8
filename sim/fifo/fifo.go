// Package fifo (unstable) is a queue that keeps its memory: what is in a Go
// channel, or in a slice that is appended to, upstream.
//
// It must never import anything of this module.
package fifo

import "slices"

// Queue is empty at first. Its owner knows the capacity, if there is one. It
// moves what is in it to the front before it grows, so a queue that is never
// empty still ends up with enough memory.
type Queue[T any] struct {
	items []T
	head  int
	// taken is how many were in the queue before the first one.
	taken int64
}

// First is the running number of the first one in the queue, or of the next one
// to come if the queue is empty. The very first one of a queue has number 1.
func (q *Queue[T]) First() int64 { return q.taken + 1 }

// Next is the running number of the next one that Push adds.
func (q *Queue[T]) Next() int64 { return q.taken + int64(q.Len()) + 1 }

// Len is how many are in the queue.
func (q *Queue[T]) Len() int { return len(q.items) - q.head }

// All lists what is in the queue; the caller must not change it.
func (q *Queue[T]) All() []T { return q.items[q.head:] }

// Push adds one at the end.
func (q *Queue[T]) Push(v T) {
	if q.head > 0 && len(q.items) == cap(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, v)
}

// Pop takes the first one; there must be one.
func (q *Queue[T]) Pop() T {
	var none T
	v := q.items[q.head]
	q.items[q.head] = none
	q.head++
	q.taken++
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	return v
}

// Delete takes out those that which says. Those behind them move up, and get
// other running numbers.
func (q *Queue[T]) Delete(which func(T) bool) {
	q.items, q.head = slices.DeleteFunc(append(q.items[:0], q.All()...), which), 0
}

// Clear empties the queue. Running numbers go on.
func (q *Queue[T]) Clear() {
	q.taken += int64(q.Len())
	clear(q.items)
	q.items, q.head = q.items[:0], 0
}

// Clone is a queue of its own with the same in it.
func (q *Queue[T]) Clone() Queue[T] { return Queue[T]{items: slices.Clone(q.All()), taken: q.taken} }
