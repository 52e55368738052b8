package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// requiresLeader reports whether the client of a stream wants it to end when there is no
// leader (WithRequireLeader). It is metadata of the stream, which its first request
// carries here.
func requiresLeader(p sim.Payload) bool {
	switch p := p.(type) {
	case *wire.WatchCreateRequest:
		return p.RequireLeader
	case *wire.WatchProgressRequest:
		return p.RequireLeader
	}
	return false
}

// refuses is the stream interceptor: there is no leader, and a new stream requires one.
func (s *WatchServer) refuses(env *sim.Env, m *sim.Message) bool {
	env.LooksAt(cellLeaderless, 0)
	if !s.leaderless || !requiresLeader(m.Payload) {
		return false
	}
	env.Cover(coverStreamRefused)
	if env.Noting() {
		env.Note(streamEnded{errNoLeader})
	}
	env.Send(m.Conn, errNoLeader)
	env.Close(m.Conn)
	return true
}

// SetLeaderless says whether the cluster is without a leader.
func (s *WatchServer) SetLeaderless(env *sim.Env, leaderless bool) {
	env.Writes(cellLeaderless, 0)
	s.leaderless = leaderless
}

// EndLeaderless is monitorLeader: streams that require a leader end.
func (s *WatchServer) EndLeaderless(env *sim.Env) {
	s.end(env, errNoLeader, func(sws *ServerWatchStream) bool { return sws.requiresLeader })
}

// EndStreams ends the streams of a client in order.
func (s *WatchServer) EndStreams(env *sim.Env, client sim.NodeID) {
	s.end(env, nil, func(sws *ServerWatchStream) bool { return sws.from == client })
}

// Serves reports whether a client has a stream.
func (s *WatchServer) Serves(client sim.NodeID) bool {
	for _, sws := range s.streams {
		if sws.used() && !sws.closing && sws.from == client {
			return true
		}
	}
	return false
}

// end ends streams from this side: with an error, or in order if there is none.
func (s *WatchServer) end(env *sim.Env, err *wire.Error, ends func(*ServerWatchStream) bool) {
	for i, sws := range s.streams {
		env.Reads(cellPlace, i)
		if !sws.used() || sws.closing || !ends(sws) {
			continue
		}
		env.Cover(coverStreamEnded)
		if env.Noting() {
			env.Note(streamEnded{err})
		}
		if err != nil {
			env.Send(sws.conn, err)
		}
		env.Close(sws.conn)
		sws.Hangup(env)
	}
}

var errNoLeader = &wire.Error{Code: wire.NoLeader, Message: "etcdserver: no leader"}
