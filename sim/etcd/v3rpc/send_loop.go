package v3rpc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/arena"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/state"
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

// sendLoop is what serverWatchStream.sendLoop keeps from one step to the next.
type sendLoop struct {
	state.Cell[sendLoop] `cell:"etcd: sendLoop"`

	state sendState
	// wresp was taken from the watch channel. events are its events if the watch
	// has prevKV; their previous values are read up to next.
	wresp  *mvcc.WatchResponse
	events []wire.Event
	next   int
	// out is what is left to send; fromWatchStream says what follows.
	out             arena.Queue[*wire.WatchResponse]
	fromWatchStream bool
	// sentID and sentEvents describe the last response from the watch channel.
	sentID     int64
	sentEvents bool
	// behind is how many reads have to be answered before what is in out is sent.
	behind uint64 `cell:"-"`

	// due are the ids whose progress a tick still has to request.
	due []int64
}

// Clear makes it a new one, and keeps its memory.
func (l *sendLoop) Clear() {
	l.out.Clear()
	*l = sendLoop{Cell: l.Cell, out: l.out, due: l.due[:0]}
}

// stop ends the loop. What it has in its hands is lost.
func (l *sendLoop) stop() {
	l.Clear()
	l.state = stopped
}

// enterSelect puts the loop back into its select.
func (sws *ServerWatchStream) enterSelect(env *sim.Env) {
	l := sws.send.Change(env)
	l.state, l.fromWatchStream, l.sentID, l.sentEvents = selecting, false, 0, false
	sws.watch.Chan.Select(env)
	sws.ctrlStream.Select(env)
	if sws.progressTicker.Value().ticked {
		env.Enable(sws.task(takeTicker))
	}
}

// leavesSelect: the loop has taken from one source and has something to do.
func (sws *ServerWatchStream) leavesSelect(env *sim.Env, next sendState) {
	sws.send.Change(env).state = next
	sws.watch.Chan.Leave(env)
	sws.ctrlStream.Leave(env)
	env.Disable(sws.task(takeTicker))
}

// runSendLoop is one step of sendLoop outside of its select.
func (sws *ServerWatchStream) runSendLoop(env *sim.Env) {
	sws.send.Read(env)
	if step := sendStates[sws.send.Change(env).state].step; step != nil {
		step(sws, env)
	}
}

// sendStates are what the loop is called in each state, and its step from there.
var sendStates = [...]struct {
	name string
	step func(*ServerWatchStream, *sim.Env)
}{
	selecting: {"selects", nil}, readingPrevKV: {"reads prevKV", (*ServerWatchStream).readPrevKV}, sending: {"sends", (*ServerWatchStream).transmit},
	afterSend: {"after Send", (*ServerWatchStream).afterSend}, ticking: {"requests progress", (*ServerWatchStream).requestDue}, stopped: {"stopped", nil},
}

// takeWatchStream is the case of watchStream.Chan().
func (sws *ServerWatchStream) takeWatchStream(env *sim.Env) {
	l := &sws.send
	if sws.ctrlStream.Len() > 0 {
		env.Cover(coverEventsFirst)
	}
	sws.leavesSelect(env, sending)
	l.wresp = sws.watch.Chan.Receive(env)
	sws.channelHasRoom(env)
	if f := sws.flags.Get(env, l.wresp.ID); !f.prevKV || len(l.wresp.Events) == 0 {
		if len(l.wresp.Events) > 0 && sws.recv.isToStorePrevKV(l.wresp.ID) {
			optionsUnknown.Say(env, mvcc.RevisionsOf(l.wresp.Events), sws.watch.Name)
		}
		sws.forward(env, l.wresp.Events)
		return
	}
	l.events, l.next = sws.server.events.Take(len(l.wresp.Events)), 0
	copy(l.events, l.wresp.Events)
	sws.readPrevKV(env)
}

// readPrevKV reads the previous values of the response in hand. Each is a read
// transaction of its own, but nothing except a compaction changes what they
// find: while no compaction waits to be applied they are one step.
func (sws *ServerWatchStream) readPrevKV(env *sim.Env) {
	l := &sws.send
	compactions := *sws.server.compactions.Look(env)
	for l.next < len(l.events) {
		sws.readPrevKVOf(env, &l.events[l.next])
		l.next++
		if compactions > 0 {
			l.state = readingPrevKV
			env.Enable(sws.task(continueSendLoop))
			return
		}
	}
	events := l.events
	l.events, l.next = nil, 0
	sws.forward(env, events)
}

func (sws *ServerWatchStream) readPrevKVOf(env *sim.Env, e *wire.Event) {
	if e.Type == wire.Put && e.Kv.CreateRevision == e.Kv.ModRevision {
		return
	}
	prev, compacted := sws.server.store.Before(env, e.Kv.Key, e.Kv.ModRevision)
	if compacted {
		env.Cover(coverPrevKVCompacted)
		return
	}
	e.PrevKv = prev
}

// forward sends the response in hand with its events, or keeps it if its watch is
// not announced yet.
func (sws *ServerWatchStream) forward(env *sim.Env, events []wire.Event) {
	l := &sws.send
	r, wresp := sws.server.responses.New(), l.wresp
	r.Stamp(sws.server.header)
	events = sws.server.opts.SentEvents.Send(env, events)
	r.WatchID, r.Revision, r.Events = wresp.ID, wresp.Revision, events
	if wresp.CompactRevision != 0 {
		r.CompactRevision = wresp.CompactRevision
		if sws.server.opts.NamesAfterLast {
			r.CompactRevision++
			altered.Say(env, "ends a watch and names a compaction that it has not made", r.CompactRevision, "")
		}
	}
	r.Canceled, r.Created = r.CompactRevision != 0, wresp.Created
	r.ProgressID = wresp.ProgressID
	l.behind = wresp.Behind
	l.wresp = nil
	if r.Created {
		l.fromWatchStream = false
		l.out.Push(r)
		sws.announce(env, r.WatchID)
		sws.transmit(env)
		return
	}
	if r.WatchID != wire.InvalidWatchID && !sws.ids.Get(env, r.WatchID) {
		env.Cover(coverPending)
		kept.Say(env, response{r}, r.WatchID, sws.watch.Name)
		sws.pending.Add(env, pendingResponse{r})
		sws.enterSelect(env)
		return
	}
	l.fromWatchStream, l.sentID, l.sentEvents = true, r.WatchID, len(r.Events) > 0
	if sws.flags.Look(env, r.WatchID).fragment {
		sws.sendFragments(env, r)
	} else {
		l.out.Push(r)
	}
	sws.transmit(env)
}

// takeCtrlStream is the case of ctrlStream.
func (sws *ServerWatchStream) takeCtrlStream(env *sim.Env) {
	l := &sws.send
	overtakes := sws.watch.Chan.Len() > 0
	sws.leavesSelect(env, sending)
	c := sws.ctrlStream.Receive(env)
	sws.ctrlHasRoom(env)
	l.fromWatchStream = false
	l.behind = sws.server.store.ReadsQueued(env)
	l.out.Push(c)
	switch {
	case c.Canceled && c.WatchID != wire.InvalidWatchID:
		sws.ids.Set(env, c.WatchID, false)
		if overtakes {
			env.Cover(coverCanceledFirst)
		}
	case c.Created:
		if overtakes && speaksForAll(sws.watch.Chan.All()) {
			env.Cover(coverCreatedFirst)
		}
		sws.announce(env, c.WatchID)
	default:
		// Only a progress notification of its own is neither.
		if overtakes {
			env.Cover(coverProgressOvertakes)
		}
	}
	sws.transmit(env)
}

// speaksForAll reports whether a watch channel holds a response to all watches
// of the stream.
func speaksForAll(queued []*mvcc.WatchResponse) bool {
	return slices.ContainsFunc(queued, func(r *mvcc.WatchResponse) bool { return r.ID == wire.InvalidWatchID })
}

// transmit is gRPC's Send for everything in out, as far as there is room. That ids
// and pending were changed before makes no difference: no other loop sees them.
func (sws *ServerWatchStream) transmit(env *sim.Env) {
	l := &sws.send
	env.Under(sws.cause)
	for l.out.Len() > 0 {
		if !env.CanSend(sws.conn) || sws.mustWaitToSend(env) {
			env.Cover(coverSendBlocked)
			l.state = sending
			return
		}
		r := l.out.Pop()
		sws.noteSent(env, r)
		countSent(env, r)
		env.Send(sws.conn, r)
	}
	if !l.fromWatchStream {
		sws.enterSelect(env)
		return
	}
	l.state = afterSend
	env.Enable(sws.task(continueSendLoop))
}

// afterSend is what sendLoop does under serverWatchStream.mu once a response
// from the watch channel was sent.
func (sws *ServerWatchStream) afterSend(env *sim.Env) {
	l := &sws.send
	notifies := sws.progress.Look(env, l.sentID)
	if l.sentEvents && notifies != unnotified {
		// The next tick leaves out a watch that was sent events.
		sws.progress.Set(env, l.sentID, notifyFalse)
	}
	if l.sentEvents && sws.server.opts.ElidedTicks == ElidedStream {
		sws.elideOthers(env, l.sentID)
	}
	sws.progressRequests().Sent(env, sws)
	sws.enterSelect(env)
}

// sendFragments is the function of that name: a response that is too large is split
// between events.
func (sws *ServerWatchStream) sendFragments(env *sim.Env, r *wire.WatchResponse) {
	out, limit := &sws.send.out, sws.server.opts.FragmentBytes
	bare := *r
	bare.Events = nil
	head := responseSize(&bare)
	if sws.server.opts.Fragments == FragmentsNone || len(r.Events) < 2 || responseSize(r) < limit {
		out.Push(r)
		return
	}
	env.Cover(coverFragmented)
	// The flag counts.
	head += 2
	for from := 0; from < len(r.Events); {
		to, size := from, head
		for to < len(r.Events) {
			size += eventSize(&r.Events[to])
			if to > from && (size >= limit || sws.server.opts.Fragments == FragmentsSingle) {
				break
			}
			to++
		}
		f := sws.server.responses.New()
		*f = bare
		f.Events, f.Fragment = r.Events[from:to:to], to < len(r.Events)
		out.Push(f)
		from = to
	}
}
