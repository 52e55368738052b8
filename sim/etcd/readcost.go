package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// readCost is what Ranges cost, if the configuration gives them a price: the
// server works on one at a time, and the others queue in the order in which they
// were let go. A Range looks at the store when its turn comes and is answered
// when its time is up. Nobody takes one back: etcd goes on with a read whose
// caller has given up.
type readCost struct {
	// queue are the places of the reads that wait for their turn.
	queue fifo.Queue[int32]
	// current is the place of the read that the server works on, answer what it
	// will be told; nil if there is none.
	current int32
	answer  sim.Payload
	// queued and done count the reads.
	queued, done uint64
}

func (s *Server) readsCost() bool { return s.cfg.RangeTime > 0 || s.cfg.RangeTimePerItem > 0 }

// queueRange makes a read wait for its turn.
func (s *Server) queueRange(env *sim.Env, slot int32) {
	q := &s.readCost
	env.WritesItem(cellRangeQueue, 0, q.queue.Next())
	q.queue.Push(slot)
	q.queued++
	if q.answer != nil {
		env.Cover(coverRangeQueued)
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
	r := &s.reads[q.current]
	env.Under(r.cause)
	took := s.cfg.RangeTime
	request := r.payload.(*wire.RangeRequest)
	resp, code := s.store.rangeKeys(request, s.store.currentRev)
	s.readsRange(env, request, resp)
	if code != 0 {
		q.answer = refusal(code)
	} else {
		q.answer = resp
		took += s.cfg.RangeTimePerItem * sim.Duration(len(resp.Kvs))
	}
	env.Arm(rangeTimer, took)
}

// finishRange answers the read, and lets go of the responses to watches that
// were behind it.
func (s *Server) finishRange(env *sim.Env) {
	q := &s.readCost
	r := s.takeRead(env, q.current)
	env.WritesItem(cellRangeQueue, 0, sim.NoItem)
	env.Under(r.cause)
	env.Send(r.conn, q.answer)
	q.answer = nil
	q.done++
	if q.queue.Len() > 0 {
		s.startRange(env)
	}
	if s.cfg.ReadsDelayWatches {
		s.resumeSends(env)
	}
}

// mustWaitToSend: gRPC's Send does not go on yet. The response in hand is behind
// the answers to reads, if they share a connection, or nothing gets through to
// this client for now.
func (s *Server) mustWaitToSend(env *sim.Env, sws *serverWatchStream) bool {
	env.LooksAt(cellClogged, 0)
	if s.clogged != nil && (s.clogged.From == 0 || s.clogged.From == sws.from) {
		env.Cover(coverSendClogged)
		return true
	}
	if s.cfg.ReadsDelayWatches {
		env.LooksAt(cellRangeQueue, 0)
	}
	if s.cfg.ReadsDelayWatches && sws.send.behind > s.readCost.done {
		env.Cover(coverSendBehindReads)
		return true
	}
	return false
}

// resumeSends lets the send loops that are blocked look again.
func (s *Server) resumeSends(env *sim.Env) {
	for _, sws := range s.streams {
		env.LooksAt(cellSendLoop, int(sws.slot))
		if sws.used() && sws.send.state == sending {
			env.Enable(sws.task(continueSendLoop))
		}
	}
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
	d = d.Int(int64(q.current)).Int(int64(q.queued - q.done)).Bool(q.answer != nil)
	if q.answer != nil {
		d = q.answer.Digest(d)
	}
	for _, slot := range q.queue.All() {
		d = d.Int(int64(slot))
	}
	return d
}

// behindFingerprint mixes in how many reads each response still has before it.
func (q *readCost) behindFingerprint(d sim.Digest, sws *serverWatchStream) sim.Digest {
	d = d.Word(max(sws.send.behind, q.done) - q.done)
	for _, r := range sws.ch.All() {
		d = d.Word(max(r.behind, q.done) - q.done)
	}
	return d
}
