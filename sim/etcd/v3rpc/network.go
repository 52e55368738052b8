package v3rpc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// network is what keeps gRPC from sending responses although a stream has room.
type network struct {
	// answered is how many reads were answered so far: with ReadsDelayWatches a
	// response is sent when those that were queued before it are.
	answered uint64
	// clogged: nothing gets through to some clients, or to all if there are none.
	clogged bool
	clients []sim.NodeID
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
	env.LooksAt(cellReadsAnswered, 0)
	if sws.send.behind > s.network.answered {
		env.Cover(coverSendBehindReads)
		return true
	}
	return false
}

// HoldsBack reports whether nothing gets through to a client.
func (s *WatchServer) HoldsBack(env *sim.Env, client sim.NodeID) bool {
	env.LooksAt(cellClogged, 0)
	return s.network.clogged && (s.network.clients == nil || slices.Contains(s.network.clients, client))
}

// Clogged reports whether nothing gets through to a client.
func (s *WatchServer) Clogged() bool { return s.network.clogged }

// Clog keeps everything from these clients, or from all if there are none. Streams stay open.
func (s *WatchServer) Clog(env *sim.Env, clients []sim.NodeID) {
	env.Writes(cellClogged, 0)
	s.network.clogged, s.network.clients = true, clients
	clogs.Say(env)
}

// Unclog ends Clog.
func (s *WatchServer) Unclog(env *sim.Env) {
	env.Writes(cellClogged, 0)
	s.network.clogged, s.network.clients = false, nil
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
		env.Writes(cellReadsAnswered, 0)
		s.network.answered++
		s.resumeSends(env)
	}
}

// resumeSends lets the send loops that are blocked look again.
func (s *WatchServer) resumeSends(env *sim.Env) {
	if s.served != nil {
		s.served.Resume(env)
	}
	for _, sws := range s.streams {
		env.LooksAt(cellSendLoop, sws.place)
		if sws.used() && sws.send.state == sending {
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
