package v3rpc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// network keeps gRPC from sending responses although a stream has room.
type network struct {
	// clogged: nothing gets through to some clients, or to all if there are none.
	clogged bool
	clients []sim.NodeID `cell:"-"`
}

// mustWaitToSend: gRPC's Send does not go on yet. The response in hand is behind
// the answers to reads, if they share a connection, or nothing gets through to
// this client for now.
func (sws *ServerWatchStream) mustWaitToSend(env *sim.Env) bool {
	s := sws.server
	if s.HoldsBack(env, sws.from) {
		env.Cover(coverSendClogged)
		return true
	}
	if !s.opts.ReadsDelayWatches {
		return false
	}
	if sws.send.behind > *s.readsAnswered.Look(env) {
		env.Cover(coverSendBehindReads)
		return true
	}
	return false
}

// HoldsBack reports whether nothing gets through to a client.
func (s *WatchServer) HoldsBack(env *sim.Env, client sim.NodeID) bool {
	n := s.network.Look(env)
	return n.clogged && (n.clients == nil || slices.Contains(n.clients, client))
}

// Clogged reports whether nothing gets through to a client.
func (s *WatchServer) Clogged() bool { return s.network.Value().clogged }

// Clog keeps everything from these clients, or from all if there are none. Streams stay open.
func (s *WatchServer) Clog(env *sim.Env, clients []sim.NodeID) {
	s.network.Set(env, network{true, clients})
	clogs.Say(env)
}

// Unclog ends Clog.
func (s *WatchServer) Unclog(env *sim.Env) {
	s.network.Set(env, network{})
	unclogs.Say(env)
	s.resumeSends(env)
}

// ReadQueued: a read arrived before all responses from here on.
func (s *WatchServer) ReadQueued(env *sim.Env) {
	if s.opts.ReadsDelayWatches {
		s.store.ReadQueued(env)
	}
}

// ReadAnswered: a read that was queued has its answer.
func (s *WatchServer) ReadAnswered(env *sim.Env) {
	if s.opts.ReadsDelayWatches {
		*s.readsAnswered.Change(env)++
		s.resumeSends(env)
	}
}

// resumeSends lets the send loops that are blocked look again.
func (s *WatchServer) resumeSends(env *sim.Env) {
	if s.served != nil {
		s.served.Resume(env)
	}
	for _, sws := range s.streams.All() {
		if sws.send.Look(env).state == sending {
			env.Enable(sws.task(continueSendLoop))
		}
	}
}

// Drained: a stream that was full has room again, and a blocked Send goes on.
func (s *WatchServer) Drained(env *sim.Env, c sim.Conn) {
	if sws := s.Stream(c); sws != nil && sws.send.state == sending {
		env.Enable(sws.task(continueSendLoop))
	}
}
