package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// read is a handler of a unary call that still has to look at the store: a
// Range, a Txn that only reads, or a Compact that was applied.
type read struct {
	payload sim.Payload
	conn    sim.Conn
	cause   sim.Cause
	from    sim.NodeID
	// client and ordinal name the handler: the ordinal is its number among the
	// client's handlers at the time.
	client  string
	ordinal int
	// ready: it no longer waits for linearizableReadLoop.
	ready bool
}

func (r *read) used() bool { return r.payload != nil }

func (r *read) handler() string {
	switch r.payload.(type) {
	case *wire.TxnRequest:
		return "Txn"
	case *wire.CompactionRequest:
		return "Compact"
	default:
		return "Range"
	}
}

// receiveCall is the start of a unary handler.
func (s *Server) receiveCall(env *sim.Env, m *sim.Message) {
	var refused *wire.Error
	readOnly, linearizable := false, false
	switch r := m.Payload.(type) {
	case *wire.RangeRequest:
		if r.Key == "" {
			refused = errEmptyKey
		}
		readOnly, linearizable = true, !r.Serializable
	case *wire.PutRequest:
		if r.Key == "" {
			refused = errEmptyKey
		}
	case *wire.DeleteRangeRequest:
		if r.Key == "" {
			refused = errEmptyKey
		}
	case *wire.TxnRequest:
		refused = checkTxn(r)
		readOnly = isTxnReadonly(r)
		linearizable = readOnly && !isTxnSerializable(r)
	case *wire.CompactionRequest:
	case *wire.StatusRequest:
		s.status(env, m.Conn, r)
		return
	default:
		refused = errUnknown
	}
	switch {
	case refused != nil:
		env.Send(m.Conn, refused)
	case !readOnly:
		s.propose(env, m)
	case linearizable:
		i := s.newRead(env, m.Payload, m.Conn, m.Cause, m.From)
		s.linearizableReadNotify(env, i)
	default:
		i := s.newRead(env, m.Payload, m.Conn, m.Cause, m.From)
		s.release(env, i)
	}
}

// handle lets the handler of an applied entry go on.
func (s *Server) handle(env *sim.Env, e *entry) {
	s.release(env, s.newRead(env, e.payload, e.conn, e.cause, e.from))
}

func (s *Server) newRead(env *sim.Env, p sim.Payload, c sim.Conn, cause sim.Cause, from sim.NodeID) int32 {
	slot, ordinal := -1, 0
	for i := range s.reads {
		switch {
		case !s.reads[i].used():
			if slot < 0 {
				slot = i
			}
		case s.reads[i].from == from && s.reads[i].ordinal >= ordinal:
			ordinal = s.reads[i].ordinal + 1
		}
	}
	if slot < 0 {
		slot = len(s.reads)
		s.reads = append(s.reads, read{})
	}
	s.reads[slot] = read{payload: p, conn: c, cause: cause, from: from, client: env.NodeName(from), ordinal: ordinal}
	env.Writes(cellRead, slot)
	for i := range slot + 1 {
		// The first free place depends on all before it.
		env.Writes(cellReadPlace, i)
	}
	return int32(slot)
}

func (s *Server) readTask(slot int32) sim.Task {
	return firstStreamTask + sim.Task(int(slot)*slotTasks+int(readTask))
}

func (s *Server) release(env *sim.Env, slot int32) {
	s.reads[slot].ready = true
	env.Reads(cellRead, int(slot))
	env.Writes(cellRead, int(slot))
	if s.readsCost() && s.reads[slot].handler() == "Range" {
		s.queueRange(env, slot)
		return
	}
	env.Enable(s.readTask(slot))
}

// linearizableReadNotify makes a read wait for the loop's next turn.
func (s *Server) linearizableReadNotify(env *sim.Env, slot int32) {
	s.readNotifier = append(s.readNotifier, slot)
	env.Writes(cellReadNotifier, 0)
	if s.confirmed == 0 {
		env.Enable(linearizableReadLoop)
	}
}

// runLinearizableReadLoop is one step of linearizableReadLoop: it takes all
// reads that wait and asks raft for the committed index, then waits until that
// is applied, then lets them go.
func (s *Server) runLinearizableReadLoop(env *sim.Env) {
	env.Writes(cellReadNotifier, 0)
	env.Reads(cellApplied, 0)
	if s.confirmed == 0 {
		env.Reads(cellRaftLog, 0)
		s.confirming, s.readNotifier = s.readNotifier, s.confirming[:0]
		if s.applied < s.committed {
			env.Cover(coverReadWaits)
			s.confirmed = s.committed
			return
		}
	}
	if len(s.confirming) > 1 {
		env.Cover(coverReadBatch)
	}
	for _, slot := range s.confirming {
		s.release(env, slot)
	}
	s.confirming, s.confirmed = s.confirming[:0], 0
	if len(s.readNotifier) > 0 {
		env.Enable(linearizableReadLoop)
	}
}

// runRead is the handler's own look at the store, and the answer.
func (s *Server) runRead(env *sim.Env, slot int32) {
	r := s.takeRead(env, slot)
	env.Under(r.cause)
	switch p := r.payload.(type) {
	case *wire.RangeRequest:
		resp, code := s.store.rangeKeys(p, s.store.currentRev)
		s.readsRange(env, p, resp)
		if code != 0 {
			env.Send(r.conn, refusal(code))
			return
		}
		env.Send(r.conn, resp)
	case *wire.TxnRequest:
		resp, code := s.txn(env, p)
		if code != 0 {
			env.Send(r.conn, refusal(code))
			return
		}
		env.Send(r.conn, resp)
	case *wire.CompactionRequest:
		s.readsRevision(env)
		env.Send(r.conn, &wire.CompactionResponse{Revision: s.store.currentRev})
	}
}

// takeRead ends a read and frees its place.
func (s *Server) takeRead(env *sim.Env, slot int32) read {
	env.Reads(cellRead, int(slot))
	env.Writes(cellRead, int(slot))
	env.Writes(cellReadPlace, int(slot))
	r := s.reads[slot]
	s.reads[slot] = read{}
	return r
}
