package etcd

import "github.com/watchbed/watchbed/sim/wire"

// fifo is what is in a Go channel; its owner knows the capacity.
type fifo[T any] struct {
	items []T
	head  int
}

func (q *fifo[T]) len() int { return len(q.items) - q.head }

func (q *fifo[T]) push(r T) {
	if q.head > 0 && len(q.items) == cap(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, r)
}

func (q *fifo[T]) pop() T {
	var none T
	r := q.items[q.head]
	q.items[q.head] = none
	q.head++
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	return r
}

func (q *fifo[T]) reset() {
	clear(q.items)
	q.items, q.head = q.items[:0], 0
}

// all lists what is in the queue; the caller must not change it.
func (q *fifo[T]) all() []T { return q.items[q.head:] }

// watchResponse is mvcc.WatchResponse: what is in a watch channel.
type watchResponse struct {
	id              int64
	revision        int64
	compactRevision int64
	evs             []wire.Event
	// created: this is the Created of CreatedInOrder.
	created bool
}

// speaksForAll reports whether a watch channel holds a response to all watches
// of the stream.
func speaksForAll(ch *fifo[watchResponse]) bool {
	for _, r := range ch.all() {
		if r.id == wire.InvalidWatchID {
			return true
		}
	}
	return false
}
