package flowcontrol

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// queue is the requests of the flows that were dealt it, oldest first.
type queue struct {
	waiting []Request
	// next is the virtual time at which the next request starts.
	next int64
}

// seats is the number of seats of all waiting requests.
func (q *queue) seats() int {
	n := 0
	for i := range q.waiting {
		n += q.waiting[i].Seats
	}
	return n
}

// push adds a request. A queue that was empty has no claim to the time before.
func (q *queue) push(r Request, now int64) {
	if len(q.waiting) == 0 {
		q.next = max(q.next, now)
	}
	q.waiting = append(q.waiting, r)
}

// pop takes the oldest request out, and charges the queue for its seats. It returns the
// virtual time at which the request starts.
func (q *queue) pop() (r Request, start int64) {
	r, start = q.waiting[0], q.next
	q.remove(0)
	q.next += int64(r.Seats)
	return r, start
}

func (q *queue) remove(i int) {
	q.waiting = slices.Delete(q.waiting, i, i+1)
}

// choose is the queue of a hand in which the fewest seats are waited for. The search
// begins at another one each time.
func (l *Level) choose(dealt []int) int {
	best, queues := -1, *l.queues.Value()
	for i := range dealt {
		q := dealt[(l.Arrivals()+i)%len(dealt)]
		if best < 0 || queues[q].seats() < queues[best].seats() {
			best = q
		}
	}
	return best
}

// first is the queue whose oldest request would finish first by virtual time, -1 if
// nothing waits. Among equals the queues take turns.
func (l *Level) first() int {
	best, finish, queues := -1, int64(0), *l.queues.Value()
	for i := range queues {
		n := (l.seats.Value().last + 1 + i) % len(queues)
		q := &queues[n]
		if len(q.waiting) == 0 {
			continue
		}
		if f := q.next + int64(q.waiting[0].Seats); best < 0 || f < finish {
			best, finish = n, f
		}
	}
	return best
}

// hand deals a flow its queues: size different ones of all, which follow from the flow
// alone. Two flows seldom have all of theirs in common, so that one which floods its
// queues leaves another one some (shuffle sharding).
func hand(flow sim.NodeID, size, all int, into []int) []int {
	into = into[:0]
	h := sim.NewDigest.Int(int64(flow)).Sum()
	for len(into) < size {
		left := uint64(all - len(into))
		into = append(into, nth(into, int(h%left)))
		h /= left
	}
	return into
}

// nth is the queue of a number among the queues that were not dealt yet.
func nth(dealt []int, n int) int {
	for q := 0; ; q++ {
		switch {
		case slices.Contains(dealt, q):
		case n == 0:
			return q
		default:
			n--
		}
	}
}
