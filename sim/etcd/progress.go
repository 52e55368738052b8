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
		s.notePastChannel(env, sws, resp.Revision)
		s.pushCtrl(env, sws, resp, recvIdle)
		return
	}
	if sws.wantsMu() {
		sws.recv.state = recvProgress
		return
	}
	switch {
	case s.cfg.Progress != Deferred:
		if !s.requestProgressAll(env, sws) {
			noteProgress(env, sws, "meets a watcher that is not ready for it, and is dropped")
		}
	case sws.deferredProgress:
		env.Cover(coverProgressStillDeferred)
		noteProgress(env, sws, "is ignored: an earlier one is still deferred")
	case !s.requestProgressAll(env, sws):
		env.Cover(coverProgressDeferred)
		noteProgress(env, sws, "meets a watcher that is not synced, and is deferred until sendLoop has sent something from the watch channel")
		sws.deferredProgress = true
	}
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
	for _, wi := range sws.watchers {
		if !s.mayProgress(env, &s.watchers[wi]) {
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
		return true
	}
	s.post(env, sws, watchResponse{id: wire.InvalidWatchID, revision: s.store.currentRev, progressID: sws.progressID})
	return true
}

// afterSend is what sendLoop does under serverWatchStream.mu once a response
// from the watch channel was sent.
func (s *Server) afterSend(env *sim.Env, sws *serverWatchStream) {
	if f := sws.flagsOf(sws.send.sentID); f != nil && sws.send.sentEvents {
		// The next tick leaves out a watch that was sent events.
		f.progress = false
	}
	if s.cfg.Progress == Deferred && sws.deferredProgress && s.requestProgressAll(env, sws) {
		env.Cover(coverProgressRetried)
		sws.deferredProgress = false
	}
	s.selects(env, sws)
}
