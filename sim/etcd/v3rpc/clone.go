package v3rpc

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/wire"
)

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
	c.server, c.watch = s, s.store.Adopt(sws.place, &c)
	c.ctrlStream = sws.ctrlStream.Clone()
	c.flags = slices.Clone(sws.flags)
	if sws.progress != nil {
		c.progress = sws.progress.Clone()
	}
	c.recv.inbox = slices.Clone(sws.recv.inbox)
	l := &c.send
	l.ids = slices.Clone(l.ids)
	l.pending = slices.Clone(l.pending)
	for i := range l.pending {
		l.pending[i].responses = slices.Clone(l.pending[i].responses)
	}
	l.events = slices.Clone(l.events)
	l.out = l.out.Clone()
	l.due = slices.Clone(l.due)
	return &c
}

// Fingerprint covers all streams, those of the store below them included.
func (s *WatchServer) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(len(s.streams))).Bool(s.network.clogged)
	if s.leaderless {
		d = d.Text("no leader")
	}
	for _, sws := range s.streams {
		if !sws.used() {
			d = d.Word(0)
			continue
		}
		d = sws.watch.Fingerprint(sws.fingerprint(d))
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

func (sws *ServerWatchStream) fingerprint(d sim.Digest) sim.Digest {
	d = d.Word(uint64(sws.from)).Bool(sws.closing).Int(int64(sws.period)).
		Int(sws.progressID).Bool(sws.mu).Bool(sws.muWanted)
	for i := range sws.flags {
		f := &sws.flags[i]
		d = d.Int(f.id).Bool(f.progressNotify).Bool(f.progress).Bool(f.prevKV).Bool(f.fragment)
	}
	d = digestResponses(sws.progress.Fingerprint(d), sws.ctrlStream.All())
	return sws.send.fingerprint(sws.recv.fingerprint(d))
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

func digestResponses(d sim.Digest, list []*wire.WatchResponse) sim.Digest {
	d = d.Int(int64(len(list)))
	for _, r := range list {
		d = r.Digest(d)
	}
	return d
}

func (r *recvLoop) fingerprint(d sim.Digest) sim.Digest {
	d = d.Word(uint64(r.state))
	switch r.state {
	case recvIdle:
		return d
	case recvBlocked:
		d = r.blocked.Digest(d.Word(uint64(r.then)))
	}
	d = d.Int(r.cancel).Int(r.id).Int(r.wsrev).Text(r.refusal)
	if r.create != nil {
		d = r.create.Digest(d)
	}
	for _, p := range r.inbox {
		d = p.Digest(d)
	}
	return d
}

func (l *sendLoop) fingerprint(d sim.Digest) sim.Digest {
	d = d.Word(uint64(l.state)).Bool(l.ticked).Int(int64(len(l.ids)))
	for _, id := range l.ids {
		d = d.Int(id)
	}
	for i := range l.pending {
		d = digestResponses(d.Int(l.pending[i].id), l.pending[i].responses)
	}
	switch l.state {
	case readingPrevKV:
		d = wire.DigestEvents(l.wresp.Digest(d).Int(int64(l.next)), l.events)
	case sending:
		d = digestResponses(d, l.out.All()).Bool(l.fromWatchStream)
		if l.fromWatchStream {
			d = d.Int(l.sentID).Bool(l.sentEvents)
		}
	case afterSend:
		d = d.Int(l.sentID).Bool(l.sentEvents)
	case ticking:
		for _, id := range l.due {
			d = d.Int(id)
		}
	}
	return d
}
