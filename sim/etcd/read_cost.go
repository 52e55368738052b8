package etcd

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// ReadOptions are how long a Range keeps the server busy, and how much longer for
// each key-value that it returns: 0, for free. The server works on one Range at a
// time. For the other half of what reads cost see v3rpc's ReadsDelayWatches.
type ReadOptions struct {
	RangeTime, RangeTimePerItem sim.Duration
	// CompactsInRange: store.Compact does not take the lock that storeTxnRead holds until its End, and a Range under
	// way finds its revision compacted.
	CompactsInRange bool
	// ReusesIndexIDs: a ReadIndex that linearizableReadLoop repeats has the id of the first, and raft takes what was
	// said to that for an answer to what waits with it.
	ReusesIndexIDs bool
	// IndexRetries is how often a follower asks once more for an index, in a run.
	IndexRetries int
}

var readOptions = option.NewGroup("etcd",
	option.Duration("range-time", func(o *ReadOptions) *time.Duration { return &o.RangeTime }, "none", "how long a Range keeps etcd busy"),
	option.Count("read-index-retries", func(o *ReadOptions) *int { return &o.IndexRetries }, "none",
		"how often in a run a follower asks the leader once more what is committed, because the answer takes more than 500 ms"),
	option.Duration("item-time", func(o *ReadOptions) *time.Duration { return &o.RangeTimePerItem }, "none", "how much longer for each key that it returns"),
)

var readChoices = option.NewGroup("etcd",
	option.Either("read-index-ids", func(o *ReadOptions) *bool { return &o.ReusesIndexIDs },
		"what a follower makes of the answer to a ReadIndex that it had repeated, when reads have come since",
		option.Value{Name: "fresh", Doc: "it is ignored: the repeated request has an id of its own"},
		option.Value{Name: "reused", Doc: "it lets later reads go, which may be stale: the repeated request has the id of the first (etcd-io/etcd#20418)"}),
	option.Either("compaction-in-range", func(o *ReadOptions) *bool { return &o.CompactsInRange },
		"what a Compact does while a Range is under way",
		option.Value{Name: "waits", Doc: "it waits until the Range is done, and what is to be applied later waits with it: all releases"},
		option.Value{Name: "goes-on", Doc: "it goes on, and the Range is refused if its revision is compacted then: no release"}),
)

func (o *ReadOptions) cost() bool { return o.RangeTime > 0 || o.RangeTimePerItem > 0 }

// readCost is what Ranges cost, if the configuration gives them a price: the
// server works on one at a time, and the others queue in the order in which they
// were let go. A Range looks at the store when its turn comes and is answered
// when its time is up. It is never taken back: etcd goes on with a read whose
// caller has given up.
//
// A Range holds store.mu for reading until its end, with a ConcurrentReadTx too, and Compact
// takes the lock for writing. So a Compact waits for the Range, all that is to be applied
// later waits for the Compact, and so does the next Range: a writer that waits for store.mu
// goes before later readers.
//
// An item is a Range by its running number.
type readCost struct {
	state.Cell[readCost] `cell:"etcd: queue of Ranges"`

	// queue are the places of the reads that wait for their turn.
	queue arena.Queue[int32]
	// current is the place of the read that the server works on, answer what it
	// will be answered; nil if there is none.
	current int32
	answer  sim.Payload
	// chunk is what a stream sends when its time is up; then answer is answerInChunks.
	chunk chunk
	// compacts: the entry that is to be applied next is a Compact that waits for the Range,
	// or has not had its turn since.
	compacts bool
}

// queueRange makes a read wait for its turn.
func (s *Server) queueRange(env *sim.Env, place int32) {
	q := &s.readCost
	busy := q.answer != nil || q.compacts
	if busy {
		// It waits for the one before it, which waits for those before that.
		q.Read(env)
	}
	q.ChangeItem(env, q.queue.Next()).queue.Push(place)
	s.watch.ReadQueued(env)
	if busy {
		env.Cover(coverRangeQueued)
		r := s.reads.at(place)
		rangeQueued.Say(env, r.from, r.payload, sim.Counted{N: q.queue.Len(), Thing: "Range"})
		return
	}
	s.startRange(env)
}

// startRange takes the next read: what it finds decides how long it takes.
func (s *Server) startRange(env *sim.Env) {
	q := &s.readCost
	q.ReadItem(env, q.queue.First())
	q.ChangeItem(env, q.queue.First()).current = q.queue.Pop()
	r := s.reads.at(q.current)
	env.Under(r.cause)
	took := s.cfg.Reads.RangeTime
	switch p := r.payload.(type) {
	case *wire.RangeStreamRequest:
		q.chunk = s.readChunk(env, q.current)
		q.answer = answerInChunks
		if q.chunk.out != nil {
			took += s.cfg.Reads.RangeTimePerItem * sim.Duration(len(q.chunk.out.Kvs))
		}
	case *wire.RangeRequest:
		if resp, code := s.store.Range(env, p); code != 0 {
			q.answer = v3rpc.Refusal(code)
		} else {
			q.answer = resp
			took += s.cfg.Reads.RangeTimePerItem * sim.Duration(len(resp.Kvs))
		}
	}
	env.Arm(rangeTimer, took)
}

// answerInChunks stands for the answer of a stream while one of its chunks is read.
var answerInChunks = &wire.RangeStreamResponse{}

// finishRange answers the read, and lets go of the responses to watches that
// were behind it.
func (s *Server) finishRange(env *sim.Env) {
	q := s.readCost.ChangeItem(env, sim.NoItem)
	if q.answer == answerInChunks {
		s.finishChunk(env)
		return
	}
	r := s.reads.take(env, q.current)
	env.Under(r.cause)
	if resp, ok := q.answer.(*wire.RangeResponse); ok && s.cfg.Reads.CompactsInRange {
		if resp.Revision < s.store.ReadCompactRev(env) {
			q.answer = v3rpc.Refusal(wire.ErrCompacted)
		}
	}
	env.Send(r.conn, s.stamped(q.answer))
	q.current, q.answer = 0, nil
	s.rangeEnds(env)
}

// finishChunk sends a chunk. The next one of the same stream goes to the end of the queue.
func (s *Server) finishChunk(env *sim.Env) {
	q := &s.readCost
	place, c := q.current, q.chunk
	q.current, q.answer, q.chunk = 0, nil, chunk{}
	s.rangeEnds(env)
	env.Under(s.reads.at(place).cause)
	s.sendChunk(env, place, c)
}

// rangeEnds lets a Compact go on, or the next Range.
func (s *Server) rangeEnds(env *sim.Env) {
	q := &s.readCost
	if q.compacts {
		env.Enable(applyLoop)
	} else {
		s.nextRange(env)
	}
	s.watch.ReadAnswered(env)
}

// nextRange starts the first of the waiting ranges.
func (s *Server) nextRange(env *sim.Env) {
	if s.readCost.queue.Len() > 0 {
		s.startRange(env)
	}
}

// compactWaits reports whether the entry that is to be applied next is a Compact that has to
// wait for a Range.
func (s *Server) compactWaits(env *sim.Env) bool {
	q := &s.readCost
	e := &s.log.entries[0]
	if _, compacts := e.payload.(*wire.CompactionRequest); !compacts || !s.cfg.Reads.cost() || s.cfg.Reads.CompactsInRange {
		return false
	}
	if q.Read(env).answer == nil {
		return false
	}
	if !q.compacts {
		q.Change(env).compacts = true
		env.Cover(coverCompactWaits)
		compactAwaits.Say(env, e.payload, s.reads.at(q.current).payload)
	}
	return true
}

// compactEnds lets the next Range go on behind a Compact that waited.
func (s *Server) compactEnds(env *sim.Env) {
	if s.readCost.compacts {
		s.readCost.Change(env).compacts = false
		cause := env.Cause()
		s.nextRange(env)
		env.Under(cause)
	}
}

// Clear makes it a new one, and keeps its memory.
func (q *readCost) Clear() {
	q.queue.Clear()
	*q = readCost{Cell: q.Cell, queue: q.queue}
}
