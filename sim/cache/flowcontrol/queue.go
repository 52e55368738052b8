package flowcontrol

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
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

// Request is a request that waits for seats or has them.
type Request struct {
	// Message is the request as it came.
	Message sim.Message
	// Number counts the requests of a process in the order of their arrival.
	Number int
	// Arrived is when it came, About what was known of the resource then, and Seats
	// what was estimated from that.
	Arrived sim.Time
	About   Resource
	Seats   int
	// Queue is the number of the one in which it waits or has waited.
	Queue int
	// AtEtcd is what a LIST would have been estimated at that is put to etcd, since it
	// is; 0 as long as it is not.
	AtEtcd int
	// Sending is when it is over, since its answer is being sent; 0 before.
	Sending sim.Time

	// begun: it is being executed. One that has left its queue begins with the next turn
	// of its goroutine.
	begun bool
}

func (r *Request) Digest(h sim.Digest) sim.Digest {
	h = r.Message.Payload.Digest(h.Int(int64(r.Message.From)))
	return h.Int(int64(r.Number)).Int(int64(r.Arrived)).Int(int64(r.Seats)).Bool(r.begun).Int(int64(r.AtEtcd)).Int(int64(r.Sending))
}

// Begun reports whether a request that has seats is being executed.
func (r *Request) Begun() bool { return r.begun }

// List is the LIST that is asked for, nil if it is something else.
func (r *Request) List() *wire.ListRequest {
	list, _ := r.Message.Payload.(*wire.ListRequest)
	return list
}

// Why says for what a request was refused.
type Why uint8

// The reasons.
const (
	// QueueFull: all seats were taken, and the queue held as many as it may.
	QueueFull Why = iota
	// TimeOut: it waited for as long as it may.
	TimeOut
	// CostlyAtEtcd: it was to be put to etcd, and there were no seats for what that
	// costs (fallback-seats=at-etcd).
	CostlyAtEtcd
)

// Refusal is a request that was answered with 429.
type Refusal struct {
	Request
	At  sim.Time
	Why Why
}

// Grant is a request that was given its seats. A request that is answered in the step in which it came is never in the
// list of executing requests between two steps.
type Grant struct {
	Request
	At sim.Time
}

// TooManyRequests is the answer to a request that gets no seats.
var TooManyRequests = &wire.Error{Code: wire.TooManyRequests, Message: "too many requests, please try again later", RetryAfter: 1}
