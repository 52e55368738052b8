package etcd

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// requestProgress is what recvLoop does with a WatchProgressRequest. A server that
// echoes ids remembers the last one that came: whoever sent an earlier request
// of the same stream is served by the later one too.
func (s *Server) requestProgress(env *sim.Env, sws *serverWatchStream) {
	if s.cfg.Progress == ControlQueue {
		if s.anyUnsynced(sws) {
			env.Cover(coverProgressIgnoresUnsynced)
		}
		resp := s.responses.new()
		resp.Revision, resp.WatchID, resp.ProgressID = s.store.currentRev, wire.InvalidWatchID, sws.progressID
		s.readsRevision(env)
		s.readsProgressID(env, sws)
		s.noteProgressAnswered(env, sws, resp.Revision)
		s.pushCtrl(env, sws, resp, recvIdle)
		return
	}
	if sws.wantsMu(env) {
		sws.recv.state = recvProgress
		return
	}
	if s.cfg.Progress != Deferred {
		if !s.requestProgressAll(env, sws) {
			sws.noteProgressRefused(env, progressIsDropped)
		}
		return
	}
	env.Reads(cellDeferredProgress, int(sws.slot))
	switch {
	case sws.deferredProgress:
		env.Cover(coverProgressStillDeferred)
		sws.noteProgressRefused(env, progressIsIgnored)
	case !s.requestProgressAll(env, sws):
		env.Cover(coverProgressDeferred)
		sws.noteProgressRefused(env, progressIsDeferred)
		sws.deferredProgress = true
		env.Writes(cellDeferredProgress, int(sws.slot))
	}
}

func (sws *serverWatchStream) noteProgressRefused(env *sim.Env, outcome refusedProgress) {
	if env.Noting() {
		env.Note(progressRefused{sws.name(), outcome})
	}
}

// noteProgressAnswered tells of an answer that did not look at the watchers.
func (s *Server) noteProgressAnswered(env *sim.Env, sws *serverWatchStream, rev int64) {
	if !env.Noting() {
		return
	}
	n := progressAnswered{stream: sws.name(), revision: rev}
	for _, wi := range sws.watchers {
		if w := &s.watchers[wi]; w.group == unsynced && w.minRev <= rev {
			n.unsynced, n.missing = true, w.minRev
			break
		}
	}
	env.Note(n)
}

func (s *Server) anyUnsynced(sws *serverWatchStream) bool {
	for _, wi := range sws.watchers {
		if s.watchers[wi].group != synced {
			return true
		}
	}
	return false
}

// requestProgressAll is watchStream.RequestProgressAll: one notification for
// all watchers, unless one of them is in the way.
func (s *Server) requestProgressAll(env *sim.Env, sws *serverWatchStream) bool {
	env.LooksAt(cellStreamWatchers, int(sws.slot))
	for _, wi := range sws.watchers {
		if !s.mayProgress(env, wi) {
			return false
		}
	}
	if len(sws.watchers) == 0 {
		env.Cover(coverProgressNoWatchers)
		return true
	}
	// Upstream sends through an arbitrary one of them: they share the channel,
	// and filters do not see a response without events.
	if sws.ch.Len() >= s.cfg.ChanBufLen {
		env.Cover(coverChannelFull)
		env.Cover(coverProgressFull)
		env.Reads(cellChan, int(sws.slot))
		return true
	}
	s.readsRevision(env)
	s.readsProgressID(env, sws)
	s.post(env, sws, watchResponse{id: wire.InvalidWatchID, revision: s.store.currentRev, progressID: sws.progressID})
	return true
}

// afterSend is what sendLoop does under serverWatchStream.mu once a response
// from the watch channel was sent.
func (s *Server) afterSend(env *sim.Env, sws *serverWatchStream) {
	env.LooksAt(cellFlags, int(sws.slot))
	if f := sws.flagsOf(sws.send.sentID); f != nil && sws.send.sentEvents {
		// The next tick leaves out a watch that was sent events.
		f.progress = false
		env.WritesItem(cellFlags, int(sws.slot), watchItem(f.id))
	}
	if s.cfg.Progress == Deferred {
		s.retryDeferredProgress(env, sws)
	}
	s.selects(env, sws)
}

// retryDeferredProgress tries again what requestProgress could not do.
func (s *Server) retryDeferredProgress(env *sim.Env, sws *serverWatchStream) {
	env.Reads(cellDeferredProgress, int(sws.slot))
	if sws.deferredProgress && s.requestProgressAll(env, sws) {
		env.Cover(coverProgressRetried)
		sws.deferredProgress = false
		env.Writes(cellDeferredProgress, int(sws.slot))
	}
}

func (s *Server) readsProgressID(env *sim.Env, sws *serverWatchStream) {
	if s.cfg.ProgressEcho == Echoed {
		env.Reads(cellProgressID, int(sws.slot))
	}
}
