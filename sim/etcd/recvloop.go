package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// recvState is where the receive loop of a stream stands.
type recvState uint8

const (
	// recvIdle: in Recv.
	recvIdle recvState = iota
	// recvNext: about to call Recv again; messages that came while it was
	// blocked lie in the inbox.
	recvNext
	// recvWatch: about to register a watcher.
	recvWatch
	// recvFlags: about to store what was asked for it.
	recvFlags
	// recvCreated: about to answer with Created.
	recvCreated
	// recvCancel: about to cancel a watcher, or waiting for a victim in flight.
	recvCancel
	// recvForget: about to remove it from the stream's watchers.
	recvForget
	// recvCanceled: about to answer with Canceled.
	recvCanceled
	// recvDropFlags: about to remove what was asked for the watch.
	recvDropFlags
	// recvProgress: about to request progress; it waits for the ticker's turn to
	// end.
	recvProgress
	// recvBlocked: ctrlStream is full.
	recvBlocked
	// recvChannelFull: the watch channel is full, and Created goes through it.
	recvChannelFull
)

// recvLoop is serverWatchStream.recvLoop.
type recvLoop struct {
	state recvState
	// create and cancel are the request in hand, id the watch's.
	create *wire.WatchCreateRequest
	cancel int64
	id     int64
	// wsrev is the revision behind which a watch from "now on" starts.
	wsrev   int64
	refusal string
	// blocked waits for room in ctrlStream; after that the loop is in then.
	blocked *wire.WatchResponse
	then    recvState
	inbox   []sim.Payload
}

// receive is what recvLoop does with a message up to its first yield.
func (s *Server) receive(env *sim.Env, sws *serverWatchStream, p sim.Payload) {
	env.Writes(cellRecvLoop, int(sws.slot))
	if sws.recv.state != recvIdle {
		// Only a blocked loop leaves its lane open: to hear of a hang-up.
		sws.recv.inbox = append(sws.recv.inbox, p)
		return
	}
	s.recv(env, sws, p)
	if st := sws.recv.state; st != recvIdle && st != recvBlocked && st != recvChannelFull {
		env.Hold(sws.conn)
	}
}

func (s *Server) recv(env *sim.Env, sws *serverWatchStream, p sim.Payload) {
	r := &sws.recv
	switch p := p.(type) {
	case *wire.WatchCreateRequest:
		if p.StartRevision < 0 && s.cfg.NegativeStart == Refused {
			s.readsRevision(env)
			s.pushCtrl(env, sws, &wire.WatchResponse{
				Revision: s.store.currentRev, WatchID: wire.InvalidWatchID,
				Created: true, Canceled: true, CancelReason: errCompacted.Message,
			}, recvIdle)
			return
		}
		r.create = p
		if s.cfg.CreateAtZero == ReadBeforeRegister {
			s.readsRevision(env)
			r.wsrev = s.store.currentRev
		}
		s.recvGoesOn(env, sws, recvWatch)
	case *wire.WatchCancelRequest:
		r.cancel = p.WatchID
		s.recvCancel(env, sws)
	case *wire.WatchProgressRequest:
		if s.cfg.ProgressEcho == Echoed {
			sws.progressID = p.ID
			env.Writes(cellProgressID, int(sws.slot))
		}
		s.requestProgress(env, sws)
	}
}

// recvGoesOn ends a step of recvLoop.
func (s *Server) recvGoesOn(env *sim.Env, sws *serverWatchStream, next recvState) {
	r := &sws.recv
	r.state = next
	if next == recvIdle {
		r.cancel, r.id, r.wsrev, r.refusal = 0, 0, 0, ""
		if len(r.inbox) == 0 {
			env.Release(sws.conn)
			return
		}
		r.state = recvNext
	}
	env.Enable(sws.task(continueRecvLoop))
}

// runRecvLoop is one step of recvLoop after Recv.
func (s *Server) runRecvLoop(env *sim.Env, sws *serverWatchStream) {
	r := &sws.recv
	env.Reads(cellRecvLoop, int(sws.slot))
	env.Writes(cellRecvLoop, int(sws.slot))
	switch r.state {
	case recvNext:
		p := r.inbox[0]
		r.inbox = append(r.inbox[:0], r.inbox[1:]...)
		r.state = recvIdle
		s.recv(env, sws, p)
		if r.state == recvIdle {
			s.recvGoesOn(env, sws, recvIdle)
		}
	case recvWatch:
		s.recvWatch(env, sws)
	case recvFlags:
		if sws.wantsMu(env) {
			return
		}
		sws.storeFlags(r.id, r.create)
		env.WritesItem(cellFlags, int(sws.slot), watchItem(r.id))
		s.recvGoesOn(env, sws, recvCreated)
	case recvCreated:
		s.recvCreated(env, sws)
	case recvCancel:
		s.recvCancel(env, sws)
	case recvForget:
		wi, _ := s.find(sws, r.cancel)
		s.freeWatcher(env, wi)
		env.Writes(cellStreamWatchers, int(sws.slot))
		sws.watchers = remove(sws.watchers, wi)
		s.recvGoesOn(env, sws, recvCanceled)
	case recvCanceled:
		s.readsRevision(env)
		s.pushCtrl(env, sws, &wire.WatchResponse{Revision: s.store.currentRev, WatchID: r.cancel, Canceled: true}, recvDropFlags)
	case recvDropFlags:
		if sws.wantsMu(env) {
			return
		}
		sws.dropFlags(r.cancel)
		env.WritesItem(cellFlags, int(sws.slot), watchItem(r.cancel))
		s.recvGoesOn(env, sws, recvIdle)
	case recvProgress:
		r.state = recvIdle
		s.requestProgress(env, sws)
		if r.state == recvIdle {
			s.recvGoesOn(env, sws, recvIdle)
		}
	}
}

// recvWatch is watchStream.Watch.
func (s *Server) recvWatch(env *sim.Env, sws *serverWatchStream) {
	r := &sws.recv
	r.id, r.refusal = s.watchID(sws, r.create)
	if r.refusal != "" {
		env.Cover(coverWatchRefused)
		s.recvGoesOn(env, sws, recvCreated)
		return
	}
	s.readsRevision(env)
	rev := r.create.StartRevision
	if rev == 0 && s.cfg.CreateAtZero == ReadBeforeRegister {
		rev = r.wsrev + 1
		if rev <= s.store.currentRev {
			env.Cover(coverCreateLate)
		}
	}
	if s.cfg.CreateAtZero == PassedThrough {
		r.wsrev = s.store.currentRev
	}
	wi := s.watch(env, sws, r.create, r.id, rev)
	sws.watchers = append(sws.watchers, wi)
	env.Writes(cellStreamWatchers, int(sws.slot))
	if sws.deferredProgress {
		env.Cover(coverCreateDeferred)
	}
	s.recvGoesOn(env, sws, recvFlags)
}

func (sws *serverWatchStream) storeFlags(id int64, req *wire.WatchCreateRequest) {
	if !req.ProgressNotify && !req.PrevKv && !req.Fragment {
		return
	}
	f := sws.flagsOf(id)
	if f == nil {
		sws.flags = append(sws.flags, watchFlags{id: id})
		f = &sws.flags[len(sws.flags)-1]
	}
	if req.ProgressNotify {
		f.progressNotify, f.progress = true, true
	}
	f.prevKV = f.prevKV || req.PrevKv
	f.fragment = f.fragment || req.Fragment
}

func (s *Server) recvCreated(env *sim.Env, sws *serverWatchStream) {
	r := &sws.recv
	inOrder := s.cfg.Created == CreatedInOrder && r.refusal == ""
	if inOrder && sws.ch.Len() >= s.cfg.ChanBufLen {
		env.Reads(cellChan, int(sws.slot))
		r.state = recvChannelFull
		env.Release(sws.conn)
		return
	}
	rev := s.store.currentRev
	if s.cfg.CreateAtZero == ReadBeforeRegister {
		rev = r.wsrev
	} else {
		s.readsRevision(env)
	}
	if r.refusal == "" && r.create.StartRevision == 0 && rev > r.wsrev {
		env.Cover(coverCreatedAhead)
	}
	if inOrder {
		r.create = nil
		s.post(env, sws, watchResponse{id: r.id, revision: rev, created: true})
		s.recvGoesOn(env, sws, recvIdle)
		return
	}
	resp := s.responses.new()
	resp.Revision, resp.WatchID, resp.Created = rev, r.id, true
	if r.refusal != "" {
		resp.Canceled, resp.CancelReason = true, r.refusal
	}
	r.create = nil
	s.pushCtrl(env, sws, resp, recvIdle)
}

// recvCancel is watchStream.Cancel up to where it lets go of the watcher.
func (s *Server) recvCancel(env *sim.Env, sws *serverWatchStream) {
	r := &sws.recv
	wi, ok := s.find(sws, r.cancel)
	if !ok {
		s.recvGoesOn(env, sws, recvIdle)
		return
	}
	if !s.cancelWatcher(env, wi) {
		r.state = recvCancel
		return
	}
	s.recvGoesOn(env, sws, recvForget)
}

// pushCtrl puts a response on ctrlStream; the loop is blocked while that is
// full.
func (s *Server) pushCtrl(env *sim.Env, sws *serverWatchStream, resp *wire.WatchResponse, next recvState) {
	r := &sws.recv
	if sws.ctrlStream.Len() >= s.cfg.CtrlStreamBufLen {
		env.Cover(coverCtrlFull)
		env.Reads(cellCtrlStream, int(sws.slot))
		r.blocked, r.then, r.state = resp, next, recvBlocked
		env.Release(sws.conn)
		return
	}
	env.WritesItem(cellCtrlStream, int(sws.slot), sws.ctrlStream.Next())
	sws.ctrlStream.Push(resp)
	if sws.send.state == selecting {
		env.Enable(sws.task(takeCtrlStream))
	}
	if next == recvIdle && r.state == recvIdle {
		return
	}
	s.recvGoesOn(env, sws, next)
}

// ctrlHasRoom is what the Go runtime does when a receiver takes from a full
// channel: the blocked sender's value goes in at once, the sender runs later.
func (s *Server) ctrlHasRoom(env *sim.Env, sws *serverWatchStream) {
	r := &sws.recv
	if r.state != recvBlocked {
		return
	}
	env.Reads(cellRecvLoop, int(sws.slot))
	env.Writes(cellRecvLoop, int(sws.slot))
	env.WritesItem(cellCtrlStream, int(sws.slot), sws.ctrlStream.Next())
	sws.ctrlStream.Push(r.blocked)
	r.blocked = nil
	env.Hold(sws.conn)
	s.recvGoesOn(env, sws, r.then)
}

// channelHasRoom wakes a loop that waits to put Created into the watch channel.
func (s *Server) channelHasRoom(env *sim.Env, sws *serverWatchStream) {
	if sws.recv.state == recvChannelFull {
		env.Writes(cellRecvLoop, int(sws.slot))
		env.Hold(sws.conn)
		s.recvGoesOn(env, sws, recvCreated)
	}
}

// wantsMu reports whether the ticker holds serverWatchStream.mu; if so the step
// is repeated when it lets go.
func (sws *serverWatchStream) wantsMu(env *sim.Env) bool {
	env.LooksAt(cellMu, int(sws.slot))
	if sws.mu {
		env.WritesItem(cellMu, int(sws.slot), sim.NoItem)
	}
	sws.muWanted = sws.mu
	return sws.mu
}
