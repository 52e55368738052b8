package client

import "slices"

// fifo is a queue that keeps its memory: what a Go channel or an appended-to
// slice is upstream.
type fifo[T any] struct {
	items []T
	head  int
}

func (q *fifo[T]) len() int     { return len(q.items) - q.head }
func (q *fifo[T]) pending() []T { return q.items[q.head:] }

func (q *fifo[T]) push(v T) {
	if q.head > 0 && len(q.items) == cap(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, v)
}

func (q *fifo[T]) pop() T {
	var none T
	v := q.items[q.head]
	q.items[q.head] = none
	q.head++
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	return v
}

func (q *fifo[T]) delete(which func(T) bool) {
	q.items, q.head = slices.DeleteFunc(append(q.items[:0], q.pending()...), which), 0
}

func (q *fifo[T]) clear() {
	clear(q.items)
	q.items, q.head = q.items[:0], 0
}

func (q *fifo[T]) clone() fifo[T] { return fifo[T]{items: slices.Clone(q.pending())} }
