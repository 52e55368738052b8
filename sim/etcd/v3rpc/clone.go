package v3rpc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/state"
)

var shape = state.ShapeOf[ServerWatchStream]()

// Clone is a watch server of its own in the same state, over the clone of its store.
func (s *WatchServer) Clone(store *mvcc.WatchableStore) *WatchServer {
	c := *s
	c.store = store
	c.responses, c.events = s.responses.Clone(), s.events.Clone()
	c.endpoints = slices.Clone(s.endpoints)
	c.streams = make([]*ServerWatchStream, len(s.streams))
	for i, sws := range s.streams {
		c.streams[i] = sws.clone(&c)
	}
	return &c
}

func (sws *ServerWatchStream) clone(s *WatchServer) *ServerWatchStream {
	c := *sws
	shape.Own(&c)
	c.server, c.watch = s, s.store.Adopt(sws.place, &c)
	return &c
}

// Fingerprint covers all streams, those of the store below them included.
func (s *WatchServer) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(len(s.streams))).Bool(s.network.clogged).Bool(s.leaderless)
	for _, n := range s.unpermitted {
		d = d.Word(uint64(n))
	}
	for _, sws := range s.streams {
		if !sws.used() {
			d = d.Word(0)
			continue
		}
		d = sws.watch.Fingerprint(shape.Digest(d, sws))
		if s.opts.ReadsDelayWatches {
			d = sws.behindFingerprint(d)
		}
	}
	return d
}

// Conns visits the connections of all streams, by place.
func (s *WatchServer) Conns(visit func(sim.Conn)) {
	for _, sws := range s.streams {
		visit(sws.conn)
	}
}

// behindFingerprint mixes in how many reads each response still has before it.
func (sws *ServerWatchStream) behindFingerprint(d sim.Digest) sim.Digest {
	answered := sws.server.network.answered
	d = d.Word(max(sws.send.behind, answered) - answered)
	for _, r := range sws.watch.Chan.All() {
		d = d.Word(max(r.Behind, answered) - answered)
	}
	return d
}
