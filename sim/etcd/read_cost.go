package etcd

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/request"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// ReadOptions are how long a Range keeps the server busy, and how much longer for
// each key-value that it returns: 0, for free. The server works on one Range at a
// time. For the other half of what reads cost see v3rpc's ReadsDelayWatches.
type ReadOptions struct {
	RangeTime, RangeTimePerItem sim.Duration
}

var readOptions = option.NewGroup("etcd",
	option.Duration("range-time", func(o *ReadOptions) *time.Duration { return &o.RangeTime }, "none", "how long a Range keeps etcd busy"),
	option.Duration("item-time", func(o *ReadOptions) *time.Duration { return &o.RangeTimePerItem }, "none", "how much longer for each key that it returns"),
)

func (o *ReadOptions) cost() bool { return o.RangeTime > 0 || o.RangeTimePerItem > 0 }

// readCost is what Ranges cost, if the configuration gives them a price: the
// server works on one at a time, and the others queue in the order in which they
// were let go. A Range looks at the store when its turn comes and is answered
// when its time is up. It is never taken back: etcd goes on with a read whose
// caller has given up.
type readCost struct {
	// queue are the places of the reads that wait for their turn.
	queue fifo.Queue[int32]
	// current is the place of the read that the server works on, answer what it
	// will be answered; nil if there is none.
	current int32
	answer  sim.Payload
}

// queueRange makes a read wait for its turn.
func (s *Server) queueRange(env *sim.Env, place int32) {
	q := &s.readCost
	next := q.queue.Next()
	if q.answer != nil {
		// It waits for the one before it, which waits for those before that.
		env.Reads(cellRangeQueue, 0)
	}
	env.WritesItem(cellRangeQueue, 0, next)
	q.queue.Push(place)
	s.watch.ReadQueued(env)
	if q.answer != nil {
		env.Cover(coverRangeQueued)
		if env.Noting() {
			r := &s.reads.handlers[place]
			env.Note(rangeQueued{from: r.from, request: r.payload, ahead: q.queue.Len()})
		}
		return
	}
	s.startRange(env)
}

// startRange takes the next read: what it finds decides how long it takes.
func (s *Server) startRange(env *sim.Env) {
	q := &s.readCost
	env.ReadsItem(cellRangeQueue, 0, q.queue.First())
	env.WritesItem(cellRangeQueue, 0, q.queue.First())
	q.current = q.queue.Pop()
	r := &s.reads.handlers[q.current]
	env.Under(r.cause)
	took := s.cfg.Reads.RangeTime
	if resp, code := s.store.Range(env, r.payload.(*wire.RangeRequest)); code != 0 {
		q.answer = request.Refusal(code)
	} else {
		q.answer = resp
		took += s.cfg.Reads.RangeTimePerItem * sim.Duration(len(resp.Kvs))
	}
	env.Arm(rangeTimer, took)
}

// finishRange answers the read, and lets go of the responses to watches that
// were behind it.
func (s *Server) finishRange(env *sim.Env) {
	q := &s.readCost
	r := s.reads.take(env, q.current)
	env.WritesItem(cellRangeQueue, 0, sim.NoItem)
	env.Under(r.cause)
	env.Send(r.conn, q.answer)
	q.answer = nil
	if q.queue.Len() > 0 {
		s.startRange(env)
	}
	s.watch.ReadAnswered(env)
}

func (q *readCost) reset() {
	q.queue.Clear()
	*q = readCost{queue: q.queue}
}

func (q *readCost) clone() readCost {
	c := *q
	c.queue = q.queue.Clone()
	return c
}

func (q *readCost) fingerprint(d sim.Digest) sim.Digest {
	if q.answer == nil && q.queue.Len() == 0 {
		return d
	}
	d = d.Int(int64(q.current)).Bool(q.answer != nil)
	if q.answer != nil {
		d = q.answer.Digest(d)
	}
	for _, place := range q.queue.All() {
		d = d.Int(int64(place))
	}
	return d
}
