package etcd

import "github.com/watchbed/watchbed/sim/wire"

// fifo is what is in a Go channel of responses; its owner knows the capacity.
type fifo struct {
	items []*wire.WatchResponse
	head  int
}

func (q *fifo) len() int { return len(q.items) - q.head }

func (q *fifo) push(r *wire.WatchResponse) {
	if q.head > 0 && len(q.items) == cap(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	q.items = append(q.items, r)
}

func (q *fifo) pop() *wire.WatchResponse {
	r := q.items[q.head]
	q.items[q.head] = nil
	q.head++
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	}
	return r
}

func (q *fifo) reset() {
	clear(q.items)
	q.items, q.head = q.items[:0], 0
}

// all lists what is in the queue; the caller must not change it.
func (q *fifo) all() []*wire.WatchResponse { return q.items[q.head:] }

// speaksForAll reports whether there is a response to all watches of the stream.
func (q *fifo) speaksForAll() bool {
	for _, r := range q.all() {
		if r.WatchID == wire.InvalidWatchID {
			return true
		}
	}
	return false
}
