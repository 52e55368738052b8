package arena

// Queue is a queue that keeps its memory: what is in a Go channel, or in a slice that is appended to, upstream.
//
// It is empty at first. Its owner knows the capacity, if there is one. It
// moves what is in it to the front before it grows, so a queue that is never
// empty still ends up with enough memory.
type Queue[T any] struct {
	items []T
	// space is the memory that items are in, from its beginning on. It is empty.
	space []T `cell:"-"`
	// taken is how many were in the queue before the first one.
	taken int64 `cell:"-"`
}

// First is the running number of the first one in the queue, or of the next one
// to come if the queue is empty. The very first one of a queue has number 1.
func (q *Queue[T]) First() int64 { return q.taken + 1 }

// Next is the running number of the next one that Push adds.
func (q *Queue[T]) Next() int64 { return q.taken + int64(q.Len()) + 1 }

// Len is how many are in the queue.
func (q *Queue[T]) Len() int { return len(q.items) }

// All lists what is in the queue; the caller must not change it.
func (q *Queue[T]) All() []T { return q.items }

// Push adds one at the end.
func (q *Queue[T]) Push(v T) {
	if n := len(q.items); n == cap(q.items) && n < cap(q.space) {
		q.items = append(q.space, q.items...)
		clear(q.space[n:cap(q.space)])
	}
	q.items = append(q.items, v)
	if cap(q.items) > cap(q.space) {
		q.space = q.items[:0]
	}
}

// Pop takes the first one; there must be one.
func (q *Queue[T]) Pop() T {
	var none T
	v := q.items[0]
	q.items[0] = none
	q.items = q.items[1:]
	q.taken++
	if len(q.items) == 0 {
		q.items = q.space
	}
	return v
}

// Clear empties the queue. Running numbers go on.
func (q *Queue[T]) Clear() {
	q.taken += int64(q.Len())
	clear(q.items)
	q.items = q.space
}
