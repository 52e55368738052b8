package cache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// fifo is a channel's buffer. It moves what is in it to the front before it
// grows, so a queue that is never empty still ends up with enough memory.
type fifo struct {
	all  []watchCacheEvent
	head int
}

func (q *fifo) len() int { return len(q.all) - q.head }

func (q *fifo) push(e watchCacheEvent) {
	if len(q.all) == cap(q.all) && q.head > 0 {
		n := copy(q.all, q.all[q.head:])
		clear(q.all[n:])
		q.all, q.head = q.all[:n], 0
	}
	q.all = append(q.all, e)
}

func (q *fifo) pop() watchCacheEvent {
	e := q.all[q.head]
	q.all[q.head] = watchCacheEvent{}
	q.head++
	if q.head == len(q.all) {
		q.all, q.head = q.all[:0], 0
	}
	return e
}

// clear empties the queue and keeps its memory.
func (q *fifo) clear() {
	clear(q.all)
	q.all, q.head = q.all[:0], 0
}

func (q *fifo) clone() fifo { return fifo{all: slices.Clone(q.all[q.head:])} }

func (q *fifo) fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(q.len()))
	for i := q.head; i < len(q.all); i++ {
		d = q.all[i].fingerprint(d)
	}
	return d
}
