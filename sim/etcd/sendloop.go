package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/fifo"
	"github.com/watchbed/watchbed/sim/wire"
)

// sendState is where the send loop of a stream stands.
type sendState uint8

const (
	// selecting: in its select, which takes any of the sources that has
	// something: a task each.
	selecting sendState = iota
	// readingPrevKV: about to read one more previous value.
	readingPrevKV
	// sending: gRPC's Send is blocked.
	sending
	// afterSend: about to do what follows on a response from the watch channel,
	// under serverWatchStream.mu.
	afterSend
	// ticking: the ticker's requests are under way.
	ticking
	// stopped: the stream is closing.
	stopped
)

// sendLoop is serverWatchStream.sendLoop.
type sendLoop struct {
	state sendState
	// ids are the watches whose Created was sent, pending the responses to the
	// others.
	ids     []int64
	pending []pendingResponses

	// wresp was taken from the watch channel; events are its events with the
	// previous values that were read up to next.
	wresp  watchResponse
	events []wire.Event
	next   int
	// out is what is left to send; fromWatchStream says what follows.
	out             fifo.Queue[*wire.WatchResponse]
	fromWatchStream bool
	// sentID and sentEvents describe the last response from the watch channel.
	sentID     int64
	sentEvents bool
	// behind is how many reads have to be answered before what is in out is sent,
	// with Config.ReadsDelayWatches.
	behind uint64

	// tick: the ticker's channel holds a tick. due are the ids whose progress it
	// still has to request.
	tick bool
	due  []int64
}

type pendingResponses struct {
	id        int64
	responses []*wire.WatchResponse
}

func (l *sendLoop) announced(id int64) bool {
	for _, x := range l.ids {
		if x == id {
			return true
		}
	}
	return false
}

// selects puts the loop back into its select.
func (s *Server) selects(env *sim.Env, sws *serverWatchStream) {
	sws.send.state = selecting
	env.Writes(cellSendLoop, int(sws.slot))
	if sws.ch.Len() > 0 {
		env.Enable(sws.task(takeWatchStream))
	}
	if sws.ctrlStream.Len() > 0 {
		env.Enable(sws.task(takeCtrlStream))
	}
	if sws.send.tick {
		env.Enable(sws.task(takeTicker))
	}
}

// leavesSelect: the loop has taken from one source and has something to do.
func (sws *serverWatchStream) leavesSelect(env *sim.Env, next sendState) {
	sws.send.state = next
	env.Writes(cellSendLoop, int(sws.slot))
	env.Disable(sws.task(takeWatchStream))
	env.Disable(sws.task(takeCtrlStream))
	env.Disable(sws.task(takeTicker))
}

// runTakeWatchStream is the case of watchStream.Chan().
func (s *Server) runTakeWatchStream(env *sim.Env, sws *serverWatchStream) {
	l := &sws.send
	if sws.ctrlStream.Len() > 0 {
		env.Cover(coverEventsFirst)
	}
	sws.leavesSelect(env, sending)
	env.ReadsItem(cellChan, int(sws.slot), sws.ch.First())
	env.WritesItem(cellChan, int(sws.slot), sws.ch.First())
	l.wresp = sws.ch.Pop()
	s.channelHasRoom(env, sws)
	env.ReadsItem(cellFlags, int(sws.slot), watchItem(l.wresp.id))
	f := sws.flagsOf(l.wresp.id)
	if f == nil || !f.prevKV || len(l.wresp.evs) == 0 {
		s.forward(env, sws)
		return
	}
	l.events, l.next = s.eventArena.take(len(l.wresp.evs)), 0
	copy(l.events, l.wresp.evs)
	s.readPrevKV(env, sws)
}

// readPrevKV reads the previous values of the response in hand. Each is a read
// transaction of its own, but nothing except a compaction changes what they
// find: without one that waits to be applied they are one step.
func (s *Server) readPrevKV(env *sim.Env, sws *serverWatchStream) {
	l := &sws.send
	env.LooksAt(cellCompactions, 0)
	for l.next < len(l.events) {
		s.prevKV(env, &l.events[l.next])
		l.next++
		if s.compactions > 0 {
			l.state = readingPrevKV
			env.Enable(sws.task(continueSendLoop))
			return
		}
	}
	l.wresp.evs, l.events = l.events, nil
	s.forward(env, sws)
}

func (s *Server) prevKV(env *sim.Env, e *wire.Event) {
	if e.Type == wire.Put && e.Kv.CreateRevision == e.Kv.ModRevision {
		return
	}
	rev := e.Kv.ModRevision - 1
	env.LooksAt(cellStore, 0)
	env.Reads(cellCompactRev, 0)
	if rev < s.store.compactMainRev {
		env.Cover(coverPrevKVCompacted)
		return
	}
	if v := s.store.last(e.Kv.Key).at(rev); v != nil {
		e.PrevKv = &v.kv
		env.ReadsItem(cellStore, 0, v.kv.ModRevision)
	}
}

// forward sends the response in hand, or keeps it if its watch is not announced
// yet.
func (s *Server) forward(env *sim.Env, sws *serverWatchStream) {
	l := &sws.send
	r := s.responses.new()
	r.WatchID, r.Revision, r.CompactRevision, r.Events = l.wresp.id, l.wresp.revision, l.wresp.compactRevision, l.wresp.evs
	r.Canceled, r.Created = r.CompactRevision != 0, l.wresp.created
	r.ProgressID = l.wresp.progressID
	l.behind = l.wresp.behind
	l.wresp = watchResponse{}
	if r.Created {
		l.fromWatchStream = false
		l.out.Push(r)
		s.announce(env, sws, r.WatchID)
		s.sends(env, sws)
		return
	}
	if r.WatchID != wire.InvalidWatchID {
		env.ReadsItem(cellAnnounced, int(sws.slot), watchItem(r.WatchID))
	}
	if (r.WatchID != wire.InvalidWatchID || s.cfg.Progress == ControlQueue) && !l.announced(r.WatchID) {
		env.Cover(coverPending)
		l.buffer(r)
		env.WritesItem(cellPending, int(sws.slot), watchItem(r.WatchID))
		s.selects(env, sws)
		return
	}
	l.fromWatchStream, l.sentID, l.sentEvents = true, r.WatchID, len(r.Events) > 0
	env.LooksAt(cellFlags, int(sws.slot))
	if f := sws.flagsOf(r.WatchID); f != nil && f.fragment {
		s.fragments(env, &l.out, r)
	} else {
		l.out.Push(r)
	}
	s.sends(env, sws)
}

func (l *sendLoop) buffer(r *wire.WatchResponse) {
	for i := range l.pending {
		if p := &l.pending[i]; p.id == r.WatchID {
			p.responses = append(p.responses, r)
			return
		}
	}
	l.pending = append(l.pending, pendingResponses{r.WatchID, []*wire.WatchResponse{r}})
}

// runTakeCtrlStream is the case of ctrlStream.
func (s *Server) runTakeCtrlStream(env *sim.Env, sws *serverWatchStream) {
	l := &sws.send
	overtakes := sws.ch.Len() > 0
	sws.leavesSelect(env, sending)
	env.ReadsItem(cellCtrlStream, int(sws.slot), sws.ctrlStream.First())
	env.WritesItem(cellCtrlStream, int(sws.slot), sws.ctrlStream.First())
	c := sws.ctrlStream.Pop()
	s.ctrlHasRoom(env, sws)
	l.fromWatchStream = false
	if s.cfg.ReadsDelayWatches {
		env.LooksAt(cellRangeQueue, 0)
	}
	l.behind = s.readCost.queued
	l.out.Push(c)
	switch {
	case c.Canceled && c.WatchID != wire.InvalidWatchID:
		env.WritesItem(cellAnnounced, int(sws.slot), watchItem(c.WatchID))
		for i, id := range l.ids {
			if id == c.WatchID {
				l.ids = append(l.ids[:i], l.ids[i+1:]...)
				break
			}
		}
		if overtakes {
			env.Cover(coverCanceledFirst)
		}
	case c.Created:
		if overtakes && speaksForAll(&sws.ch) {
			env.Cover(coverCreatedFirst)
		}
		s.announce(env, sws, c.WatchID)
	default:
		// Only a progress notification of its own is neither.
		if overtakes {
			env.Cover(coverProgressOvertakes)
		}
	}
	s.sends(env, sws)
}

// announce notes that Created goes out and what waited for it follows.
func (s *Server) announce(env *sim.Env, sws *serverWatchStream, id int64) {
	l := &sws.send
	env.WritesItem(cellAnnounced, int(sws.slot), watchItem(id))
	if !l.announced(id) {
		l.ids = append(l.ids, id)
	}
	for i := range l.pending {
		if l.pending[i].id != id {
			continue
		}
		env.Cover(coverPendingFlushed)
		env.ReadsItem(cellPending, int(sws.slot), watchItem(id))
		env.WritesItem(cellPending, int(sws.slot), watchItem(id))
		for _, r := range l.pending[i].responses {
			l.out.Push(r)
		}
		l.pending = append(l.pending[:i], l.pending[i+1:]...)
		return
	}
}

// sends is gRPC's Send for everything in out, as far as there is room. That ids
// and pending were changed before is nobody's business: no one else sees them.
func (s *Server) sends(env *sim.Env, sws *serverWatchStream) {
	l := &sws.send
	env.Under(sws.cause)
	for l.out.Len() > 0 {
		if !env.CanSend(sws.conn) || s.mustWaitToSend(env, sws) {
			env.Cover(coverSendBlocked)
			l.state = sending
			return
		}
		r := l.out.Pop()
		sws.noteSent(env, r)
		env.Send(sws.conn, r)
	}
	if !l.fromWatchStream {
		s.selects(env, sws)
		return
	}
	l.state = afterSend
	env.Enable(sws.task(continueSendLoop))
}

// runSendLoop is one step of sendLoop outside of its select.
func (s *Server) runSendLoop(env *sim.Env, sws *serverWatchStream) {
	env.Reads(cellSendLoop, int(sws.slot))
	env.Writes(cellSendLoop, int(sws.slot))
	switch sws.send.state {
	case readingPrevKV:
		s.readPrevKV(env, sws)
	case sending:
		s.sends(env, sws)
	case afterSend:
		s.afterSend(env, sws)
	case ticking:
		s.requestDue(env, sws)
	}
}

// noteSent tells of a response, and of what it overtakes if it did not come
// through the watch channel.
func (sws *serverWatchStream) noteSent(env *sim.Env, r *wire.WatchResponse) {
	if !env.Noting() {
		return
	}
	waits := firstHeld(&sws.ch)
	if r.Created && waits == (held{}) {
		// It is no news that a watch that was asked for is created.
		return
	}
	if sws.send.fromWatchStream || len(r.Events) > 0 {
		waits = held{}
	}
	env.Note(sent{sws.name(), r, waits})
}

func firstHeld(ch *fifo.Queue[watchResponse]) held {
	for _, r := range ch.All() {
		switch {
		case len(r.evs) > 0:
			return held{events: revisionsOf(r.evs)}
		case r.id == wire.InvalidWatchID:
			return held{progress: r.revision}
		}
	}
	return held{}
}
