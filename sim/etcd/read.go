package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// reads are the handlers that still have to look at the store, and
// linearizableReadLoop.
type reads struct {
	turn
	handlers state.Places[handler] `cell:"etcd: reads"`
}

// turn is linearizableReadLoop.
type turn struct {
	state.Cell[turn] `cell:"etcd: readNotifier"`

	// readNotifier are the places of reads that wait for the next turn of
	// linearizableReadLoop, confirming those of the present turn. confirmed is the
	// index that has to be applied for those, 0 if the loop waits for none.
	readNotifier []int32
	confirming   []int32
	confirmed    uint64 `cell:"-"`
	// asking is the call by which a follower asks the leader for that index.
	asking sim.Conn
	// repeated is a call that asks the same once more, repeatedLate: the turn that it was for is over.
	repeated     sim.Conn
	repeatedLate bool
}

// idle reports whether linearizableReadLoop is between two turns.
func (t *turn) idle() bool { return t.confirmed == 0 && t.asking == sim.NoConn }

// read is a handler of a unary call that still has to look at the store: a
// Range, a Txn that only reads, or a Compact that was applied.
type read struct {
	entry
	// client and ordinal name the handler: the ordinal is its number among the
	// client's handlers at the time.
	client  string `cell:"-"`
	ordinal int    `cell:"-"`
	// revision is the store's when a LeaseKeepAlive came.
	revision int64
	// ready: it no longer waits for linearizableReadLoop.
	ready bool
}

// handler is the place of a read.
type handler struct {
	place int32
	// read has two items: linearizableReadLoop lets several reads go in one step, and a story of one of them must not
	// follow the requests of the others.
	read state.Var[read] `cell:"etcd: read"`
	// taken is a cell of its own, as the first free place depends on all before it.
	taken  state.Var[bool]      `cell:"etcd: place of a read"`
	stream state.Var[streaming] `cell:"etcd: RangeStream"`
}

// The items of handler.read.
const (
	readAsked int64 = iota + 1
	readReleased
)

func (h *handler) Free() bool { return !*h.taken.Value() }

// streaming is an answer that goes out in chunks, nil before the first one. blocked: its Send waits for room.
type streaming struct {
	at      *rangeStream
	blocked bool
}

// at is the read in a place.
func (t *reads) at(place int32) *read { return t.handlers.At(int(place)).read.Value() }

// streams reports whether the answer goes out in chunks.
func (r *read) streams() bool {
	_, streams := r.payload.(*wire.RangeStreamRequest)
	return streams
}

// begins reports whether the handler is about to begin a read transaction.
func (r *read) begins() bool {
	switch r.payload.(type) {
	case *wire.RangeRequest, *wire.RangeStreamRequest, *wire.TxnRequest:
		return true
	}
	return false
}

// refuse answers with an error. A stream ends behind it.
func (r *read) refuse(env *sim.Env, err *wire.Error) {
	env.Send(r.conn, err)
	if r.streams() {
		env.Close(r.conn)
	}
}

func (r *read) handler() string {
	switch r.payload.(type) {
	case *wire.RangeStreamRequest:
		return "RangeStream"
	case *wire.TxnRequest:
		return "Txn"
	case *wire.CompactionRequest:
		return "Compact"
	case *wire.LeaseKeepAliveRequest:
		return "LeaseKeepAlive"
	case *wire.LeaseTimeToLiveRequest:
		return "LeaseTimeToLive"
	default:
		return "Range"
	}
}

// Clear makes it a new one, and keeps its memory.
func (t *turn) Clear() {
	*t = turn{Cell: t.Cell, readNotifier: t.readNotifier[:0], confirming: t.confirming[:0]}
}

// add finds a place for a handler: the first free one.
func (t *reads) add(env *sim.Env, r read) int32 {
	all := t.handlers.All()
	place := len(all)
	for i, h := range all {
		switch x := h.read.Value(); {
		case h.Free():
			place = min(place, i)
		case x.from == r.from && x.ordinal >= r.ordinal:
			r.ordinal = x.ordinal + 1
		}
	}
	for _, h := range all[:place] {
		h.taken.Change(env)
	}
	h := t.handlers.Reach(place, func(n int) handler { return handler{place: int32(n)} })
	h.read.Set(env, r)
	h.taken.Set(env, true)
	return h.place
}

// take ends a read and frees its place.
func (t *reads) take(env *sim.Env, place int32) read {
	h := t.handlers.At(int(place))
	h.read.ReadItem(env, readAsked)
	r := *h.read.ReadItem(env, readReleased)
	h.read.Set(env, read{})
	h.taken.Set(env, false)
	*h.stream.Value() = streaming{}
	return r
}

// receiveCall is the start of a unary handler.
func (s *Server) receiveCall(env *sim.Env, m *sim.Message) {
	if refused := v3rpc.Check(m.Payload); refused != nil {
		env.Send(m.Conn, refused)
		return
	}
	e, readOnly, linearizable := entryOf(m), false, false
	switch r := m.Payload.(type) {
	case *wire.RangeRequest:
		readOnly, linearizable = true, !r.Serializable
	case *wire.TxnRequest:
		serializable := false
		readOnly, serializable = isTxnReadonly(r)
		linearizable = readOnly && !serializable
	case *wire.LeaseTimeToLiveRequest:
		readOnly, linearizable = true, true
	case *wire.PutRequest, *wire.DeleteRangeRequest, *wire.CompactionRequest, *wire.LeaseRevokeRequest:
	case *wire.RangeStreamRequest:
		s.receiveStream(env, e, r)
		return
	case *wire.LeaseGrantRequest:
		s.proposeGrant(env, e, r)
		return
	case *wire.LeaseKeepAliveRequest:
		s.receiveKeepAlive(env, e)
		return
	case *wire.StatusRequest:
		env.Send(m.Conn, s.members.status(env, r))
		return
	default:
		env.Send(m.Conn, v3rpc.ErrUnknown)
		return
	}
	switch {
	case !readOnly:
		s.propose(env, e)
	case linearizable:
		s.linearizableReadNotify(env, s.newRead(env, e))
	default:
		s.handle(env, e)
	}
}

// handle has a handler that looks at the store at once, such as that of an applied entry.
func (s *Server) handle(env *sim.Env, e entry) { s.release(env, s.newRead(env, e)) }

func (s *Server) newRead(env *sim.Env, e entry) int32 {
	return s.reads.add(env, read{entry: e, client: env.NodeName(e.from)})
}

// release lets a handler look at the store.
func (s *Server) release(env *sim.Env, place int32) {
	r := s.reads.handlers.At(int(place)).read.ChangeItem(env, readReleased)
	r.ready = true
	if r.begins() && s.backend.holdsUp(env, place) {
		return
	}
	if _, isRange := r.payload.(*wire.RangeRequest); (isRange || r.streams()) && s.cfg.Reads.cost() {
		s.queueRange(env, place)
		return
	}
	env.Enable(firstSlotTask + sim.Task(int(place)*slotTasks+readTask))
}

// receiveStream is the start of a RangeStream handler. Send has the window of a watch stream.
func (s *Server) receiveStream(env *sim.Env, e entry, p *wire.RangeStreamRequest) {
	refused := v3rpc.CheckRangeStream(p.Range)
	if !s.members.options().Streams.Served {
		env.Cover(coverStreamUnknown)
		refused = v3rpc.ErrNoSuchMethod
	}
	if refused != nil {
		env.Send(e.conn, refused)
		env.Close(e.conn)
		return
	}
	if window := s.members.options().Watch.SendWindow; window > 0 {
		env.Bound(e.conn, window)
	}
	if p.Range.Serializable {
		s.handle(env, e)
	} else {
		s.linearizableReadNotify(env, s.newRead(env, e))
	}
}

// chunk is a read transaction of a stream: what goes out, or nil, and why the stream ends, or
// nil.
type chunk struct {
	out     *wire.RangeStreamResponse
	last    bool
	refused *wire.Error
}

// readChunk reads the next chunk of a stream.
func (s *Server) readChunk(env *sim.Env, place int32) (c chunk) {
	h, o := s.reads.handlers.At(int(place)), s.members.options()
	h.read.ReadItem(env, readAsked)
	r, was := h.read.ReadItem(env, readReleased), h.stream.Change(env)
	stream := newRangeStream(r.payload.(*wire.RangeStreamRequest).Range, &o.Streams)
	if was.at != nil {
		env.Cover(coverStreamGoesOn)
		*stream = *was.at
	}
	// A clone of the server has the one before.
	was.at = stream
	var code wire.Code
	if c.out, c.last, code = stream.step(env, s.store, &o.Streams, o.Write.MaxRequestBytes); code != 0 {
		c.refused = v3rpc.Refusal(code)
	}
	if c.out != nil {
		said, n := chunkRead, len(c.out.Kvs)
		if int64(n) == stream.count {
			said = firstRead
		}
		said.Say(env, keys(n), r.from, stream.at)
	}
	return c
}

// sendChunk sends a chunk, and lets the handler go on when there is room.
func (s *Server) sendChunk(env *sim.Env, place int32, c chunk) {
	r := s.reads.at(place)
	if c.out != nil {
		env.Send(r.conn, c.out)
	}
	switch {
	case c.refused != nil:
		env.Cover(coverStreamFails)
		ended := s.reads.take(env, place)
		ended.refuse(env, c.refused)
	case c.last:
		env.Close(s.reads.take(env, place).conn)
	case !env.IsOpen(r.conn):
		env.Cover(coverStreamAbandoned)
		s.reads.take(env, place)
	case !env.CanSend(r.conn):
		env.Cover(coverStreamBlocked)
		s.reads.handlers.At(int(place)).stream.Change(env).blocked = true
	default:
		s.release(env, place)
	}
}

// wakeStream lets a stream go on whose Send waited for room, or has failed because the
// client is gone.
func (s *Server) wakeStream(env *sim.Env, conn sim.Conn) {
	for h := range s.reads.handlers.Used() {
		if h.read.Value().conn == conn && h.stream.Value().blocked {
			h.stream.Change(env).blocked = false
			s.release(env, h.place)
		}
	}
}

// linearizableReadNotify makes a read wait for the loop's next turn.
func (s *Server) linearizableReadNotify(env *sim.Env, place int32) {
	t := s.reads.Change(env)
	t.readNotifier = append(t.readNotifier, place)
	if s.reads.idle() && !s.disk.turn {
		s.wakeReadLoop(env)
	}
}

// runLinearizableReadLoop is one step of linearizableReadLoop: it takes all
// reads that wait and asks raft for the committed index, then waits until that
// is applied, then lets them go.
func (s *Server) runLinearizableReadLoop(env *sim.Env) {
	t := s.reads.Change(env)
	// What a read is answered it finds in the store.
	s.log.appliedIndex.Look(env)
	if t.confirmed != 0 {
		s.notifyReads(env)
		return
	}
	s.log.committedEntries.Look(env)
	t.confirming, t.readNotifier = t.readNotifier, t.confirming[:0]
	if err := s.readFailure(env); err != nil {
		s.failReads(env, err)
		return
	}
	if !s.turnAwaitsDisk(env) {
		s.askForIndex(env)
	}
}

// askForIndex asks raft for the index that the present turn waits for.
func (s *Server) askForIndex(env *sim.Env) {
	if s.cfg.Leader != 0 {
		s.askIndex(env)
		return
	}
	s.confirm(env, s.log.committed)
}

// confirm lets the reads of the present turn go when an index is applied.
func (s *Server) confirm(env *sim.Env, index uint64) {
	if s.appliedIndex() < index {
		env.Cover(coverReadWaits)
		s.reads.confirmed = index
		return
	}
	s.notifyReads(env)
}

// notifyReads ends a turn: its reads may look at the store.
func (s *Server) notifyReads(env *sim.Env) {
	t := &s.reads
	if len(t.confirming) > 1 {
		env.Cover(coverReadBatch)
	}
	for _, place := range t.confirming {
		s.release(env, place)
	}
	t.confirming, t.confirmed = t.confirming[:0], 0
	if len(t.readNotifier) > 0 {
		s.wakeReadLoop(env)
	}
}

// runRead is the handler's own look at the store, and the answer.
func (s *Server) runRead(env *sim.Env, place int32) {
	if r := s.reads.at(place); r.streams() {
		env.Under(r.cause)
		s.sendChunk(env, place, s.readChunk(env, place))
		return
	}
	r := s.reads.take(env, place)
	env.Under(r.cause)
	switch p := r.payload.(type) {
	case *wire.RangeRequest:
		resp, code := s.store.RangeVisible(env, p)
		if code != 0 {
			env.Send(r.conn, v3rpc.Refusal(code))
			return
		}
		s.answer(env, r.conn, r.payload, resp)
	case *wire.TxnRequest:
		s.store.Publish(env)
		resp, err := s.txn(env, p, false)
		if err != nil {
			env.Send(r.conn, err)
			return
		}
		s.answer(env, r.conn, r.payload, resp)
	case *wire.LeaseKeepAliveRequest:
		s.leaseRenew(env, &r, p)
	case *wire.LeaseTimeToLiveRequest:
		s.leaseTimeToLive(env, &r, p)
	case *wire.CompactionRequest:
		s.answer(env, r.conn, p, &wire.CompactionResponse{Revision: s.store.VisibleRev(env)})
	}
}

// answer sends the answer to a request of the key-value API.
func (s *Server) answer(env *sim.Env, conn sim.Conn, request, right sim.Payload) {
	env.Send(conn, s.stamped(s.members.options().Answers.Answer(env, request, right)))
}
