package caches

import (
	"math"
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
)

// fairness is what seats-kept knows of the shares of queues (KEP-1040, "Fair Queuing" and "Shuffle Sharding").
type fairness struct {
	// grants is how many were judged.
	grants  int
	waiting []waiter
	// hands are the queues in which requests of each client were put since the process began, if a hand has fewer than
	// all.
	hands []dealt
}

// waiter is a request that waits.
type waiter struct {
	conn          sim.Conn
	number, queue int
	// since is how many grants there had been when it began to wait, owed how many seats each other queue may be
	// given meanwhile.
	since, owed int
}

type dealt struct {
	client sim.NodeID
	queue  int
}

func (f *fairness) clone() fairness {
	return fairness{f.grants, slices.Clone(f.waiting), slices.Clone(f.hands)}
}

// digest mixes in what other queues may still be given while a request waits: which requests wait in which queue
// follows from the state of the level.
func (f *fairness) digest(l *flowcontrol.Level, d sim.Digest) sim.Digest {
	queues := l.Options().Queues
	for _, w := range f.waiting {
		for queue := range queues {
			if queue != w.queue {
				d = d.Int(int64(w.owed - seatsOfQueue(l.Grants()[w.since:], queue)))
			}
		}
	}
	for _, h := range f.hands {
		d = d.Int(int64(h.client)).Int(int64(h.queue))
	}
	return d
}

// judge looks at the requests that came in a step, after so many others, and at the grants of the step.
func (f *fairness) judge(l *flowcontrol.Level, arrivals int, refuses bool, wrong func(label, format string, args ...any)) {
	o, granted := l.Options(), l.Grants()
	f.waiting = slices.DeleteFunc(f.waiting, func(w waiter) bool {
		is := func(r *flowcontrol.Request) bool { return r.Message.Conn == w.conn }
		still := slices.ContainsFunc(granted[f.grants:], func(g flowcontrol.Grant) bool { return is(&g.Request) })
		l.Waiting(func(r *flowcontrol.Request) { still = still || is(r) })
		return !still
	})
	settled := !refuses && len(granted) == f.grants
	for ; f.grants < len(granted); f.grants++ {
		g := &granted[f.grants]
		if waited := g.At.Sub(g.Arrived); waited > o.QueueWait {
			wrong("too long", "%s has waited for %v, and may wait for %v", g.Message.Payload.Label(), waited, o.QueueWait)
		}
		f.deal(o, &g.Request, arrivals, wrong)
		f.waiting = slices.DeleteFunc(f.waiting, func(w waiter) bool { return w.conn == g.Message.Conn })
		for _, w := range f.waiting {
			if w.queue == g.Queue && w.number < g.Number {
				wrong("overtaken", "request %d waits in queue %d, and %d, which came later, has its seats", w.number, w.queue, g.Number)
			} else if given := seatsOfQueue(granted[w.since:f.grants+1], g.Queue); w.queue != g.Queue && given > w.owed {
				wrong("share", "request %d waits in queue %d, and meanwhile queue %d was given %d seats, of at most %d", w.number, w.queue, g.Queue, given, w.owed)
			}
		}
	}
	f.begin(l, arrivals, settled, wrong)
}

// begin takes in the requests that wait since this step. While one waits, the seats that another queue is given are
// bounded by the order of virtual finish: if virtual time was v when it came, its own queue starts at v and the seats
// of one request at most, so that it finishes that many and its own later, with all that is before it in the queue.
// The other queue started at v less the seats of one request and one at least, and is not served beyond that finish.
func (f *fairness) begin(l *flowcontrol.Level, arrivals int, settled bool, wrong func(label, format string, args ...any)) {
	o, all := l.Options(), map[int]int{}
	l.Waiting(func(r *flowcontrol.Request) { all[r.Queue] += r.Seats })
	before := map[int]int{}
	l.Waiting(func(r *flowcontrol.Request) {
		before[r.Queue] += r.Seats
		if r.Number < arrivals {
			return
		}
		f.deal(o, r, arrivals, wrong)
		f.waiting = append(f.waiting, waiter{r.Message.Conn, r.Number, r.Queue, f.grants, before[r.Queue] + 2*seatsFor(o, math.Inf(1), 1) - 1})
		for queue := range o.Queues {
			if ahead := before[r.Queue] - r.Seats; settled && all[queue] < ahead && f.has(o, dealt{r.Message.From, queue}) {
				wrong("hand", "%s waits in queue %d behind %d seats, and its client has queue %d, where %d are waited for",
					r.Message.Payload.Label(), r.Queue, ahead, queue, all[queue])
			}
		}
	})
}

// has reports whether a queue is known to be one of a client's.
func (f *fairness) has(o *flowcontrol.Options, of dealt) bool {
	return o.HandSize >= o.Queues || slices.Contains(f.hands, of)
}

// deal notes in which queue a request that came in this step was put.
func (f *fairness) deal(o *flowcontrol.Options, r *flowcontrol.Request, arrivals int, wrong func(label, format string, args ...any)) {
	of := dealt{r.Message.From, r.Queue}
	if r.Number < arrivals || f.has(o, of) {
		return
	}
	f.hands = append(f.hands, of)
	n := 0
	for _, h := range f.hands {
		if h.client == of.client {
			n++
		}
	}
	if n > o.HandSize {
		wrong("hand", "a client's requests were in %d queues, and its hand is %d", n, o.HandSize)
	}
}

// seatsOfQueue is what a queue was given.
func seatsOfQueue(all []flowcontrol.Grant, queue int) int {
	n := 0
	for i := range all {
		if all[i].Queue == queue {
			n += all[i].Seats
		}
	}
	return n
}
