package flowcontrol

// queue is the requests of the flows that were dealt it, oldest first.
type queue struct {
	waiting []Request
	// next is the virtual time at which the next request starts.
	next int64
}

// seats is what those that wait ask for together.
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
	q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
}

// choose is the queue of a hand in which the fewest seats are waited for. The search
// begins at another one each time.
func (l *Level) choose(dealt []int) int {
	best := -1
	for i := range dealt {
		q := dealt[(l.arrivals+i)%len(dealt)]
		if best < 0 || l.queues[q].seats() < l.queues[best].seats() {
			best = q
		}
	}
	return best
}

// first is the queue whose oldest request would finish first by virtual time, -1 if
// nothing waits. Among equals the queues take turns.
func (l *Level) first() int {
	best, finish := -1, int64(0)
	for i := range l.queues {
		n := (l.last + 1 + i) % len(l.queues)
		q := &l.queues[n]
		if len(q.waiting) == 0 {
			continue
		}
		if f := q.next + int64(q.waiting[0].Seats); best < 0 || f < finish {
			best, finish = n, f
		}
	}
	return best
}
