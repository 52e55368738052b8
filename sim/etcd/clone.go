package etcd

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Clone implements sim.Cloner. The store is shared until one of both writes.
func (s *Server) Clone() sim.Node {
	s.cloned = true
	c := *s
	// To begin another run from the base is to write to it.
	c.base = base{}
	c.members = slices.Clone(s.members)
	c.store = s.store.clone()
	c.jobs = slices.Clone(s.jobs)
	c.entries = slices.Clone(s.entries)
	c.commits = slices.Clone(s.commits)
	c.log, c.followers = slices.Clone(s.log), slices.Clone(s.followers)
	c.reads = slices.Clone(s.reads)
	c.readNotifier = slices.Clone(s.readNotifier)
	c.confirming = slices.Clone(s.confirming)
	c.readCost = s.readCost.clone()
	c.watchers = slices.Clone(s.watchers)
	c.victims.waiting = cloneBatches(s.victims.waiting)
	c.victims.taken = cloneBatches(s.victims.taken)
	c.victims.left = slices.Clone(s.victims.left)
	c.streams = make([]*serverWatchStream, len(s.streams))
	for i, sws := range s.streams {
		c.streams[i] = sws.clone()
	}
	c.endpoints = slices.Clone(s.endpoints)
	c.cloned = false
	c.responses, c.eventArena = arena[wire.WatchResponse]{}, arena[wire.Event]{}
	c.events, c.batches, c.chosen = nil, nil, nil
	return &c
}

func cloneBatches(list [][]batch) [][]batch {
	if len(list) == 0 {
		return nil
	}
	out := make([][]batch, len(list))
	for i := range list {
		out[i] = slices.Clone(list[i])
	}
	return out
}

func (sws *serverWatchStream) clone() *serverWatchStream {
	c := *sws
	c.ch = sws.ch.Clone()
	c.ctrlStream = sws.ctrlStream.Clone()
	c.watchers = slices.Clone(sws.watchers)
	c.flags = slices.Clone(sws.flags)
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

// Fingerprint implements sim.Fingerprinter.
func (s *Server) Fingerprint(d sim.Digest) sim.Digest {
	d = s.membersFingerprint(s.store.fingerprint(d))
	for i := range s.jobs {
		j := &s.jobs[i]
		d = d.Int(j.rev).Int(j.next).Int(int64(j.sub))
	}
	for i := s.entry; i < len(s.entries); i++ {
		e := &s.entries[i]
		d = e.payload.Digest(d.Word(uint64(e.from)))
	}
	// What is committed decides the verdict at the end.
	d = d.Word(uint64(s.commitLog)).Int(int64(len(s.commits)))
	// Indices count up: only how far they are apart matters.
	d = d.Int(int64(s.committed - s.applied))
	if s.confirmed != 0 {
		d = d.Int(int64(s.confirmed - s.applied))
	}
	d = s.readCost.fingerprint(s.readsFingerprint(d)).Bool(s.clogged != nil)
	// The phase of the sync loop; 0 when untimed.
	d = s.watchersFingerprint(d.Int(int64(s.lastSync)))
	for _, sws := range s.streams {
		d = sws.fingerprint(d)
		if s.cfg.ReadsDelayWatches {
			d = s.readCost.behindFingerprint(d, sws)
		}
	}
	return d
}

func (s *Server) readsFingerprint(d sim.Digest) sim.Digest {
	for i := range s.reads {
		if r := &s.reads[i]; r.used() {
			d = r.payload.Digest(d.Int(int64(i)).Word(uint64(r.from)).Bool(r.ready))
		}
	}
	for _, slots := range [2][]int32{s.readNotifier, s.confirming} {
		d = d.Int(int64(len(slots)))
		for _, slot := range slots {
			d = d.Int(int64(slot))
		}
	}
	return d
}

func (s *Server) watchersFingerprint(d sim.Digest) sim.Digest {
	for i := range s.watchers {
		w := &s.watchers[i]
		if !w.used {
			d = d.Word(0)
			continue
		}
		d = d.Text(w.key).Text(w.end).Int(w.id).Int(w.startRev).Int(w.minRev).
			Word(uint64(w.stream)<<16 | uint64(w.group)<<8 | uint64(w.fcs)).Bool(w.compacted).Bool(w.restore)
	}
	v := &s.victims
	d = d.Word(uint64(v.state)).Bool(v.signal).Int(int64(v.moved))
	for _, list := range [2][][]batch{v.waiting, v.taken} {
		d = d.Int(int64(len(list)))
		for _, b := range list {
			d = batchDigest(d, b)
		}
	}
	return batchDigest(d, v.left)
}

func batchDigest(d sim.Digest, list []batch) sim.Digest {
	d = d.Int(int64(len(list)))
	for i := range list {
		b := &list[i]
		d = wire.DigestEvents(d.Int(int64(b.watcher)).Int(b.moreRev).Bool(b.sent).Bool(b.failed), b.evs)
	}
	return d
}

func (sws *serverWatchStream) fingerprint(d sim.Digest) sim.Digest {
	if !sws.used() {
		return d.Word(0)
	}
	d = d.Word(uint64(sws.from)).Bool(sws.closing).Int(sws.nextID).Int(int64(sws.period)).
		Bool(sws.deferredProgress).Int(sws.progressID).Bool(sws.mu).Bool(sws.muWanted).Int(int64(len(sws.watchers)))
	for _, wi := range sws.watchers {
		d = d.Int(int64(wi))
	}
	for i := range sws.flags {
		f := &sws.flags[i]
		d = d.Int(f.id).Bool(f.progressNotify).Bool(f.progress).Bool(f.prevKV).Bool(f.fragment)
	}
	d = d.Int(int64(sws.ch.Len()))
	for _, r := range sws.ch.All() {
		d = r.digest(d)
	}
	d = digestResponses(d, sws.ctrlStream.All())
	return sws.send.fingerprint(sws.recv.fingerprint(d))
}

func (r *watchResponse) digest(d sim.Digest) sim.Digest {
	return wire.DigestEvents(d.Int(r.id).Int(r.revision).Int(r.compactRevision).Bool(r.created), r.evs)
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
	d = d.Word(uint64(l.state)).Bool(l.tick).Int(int64(len(l.ids)))
	for _, id := range l.ids {
		d = d.Int(id)
	}
	for i := range l.pending {
		d = digestResponses(d.Int(l.pending[i].id), l.pending[i].responses)
	}
	switch l.state {
	case readingPrevKV:
		d = wire.DigestEvents(l.wresp.digest(d).Int(int64(l.next)), l.events)
	case sending:
		d = digestResponses(d, l.out.All()).Bool(l.fromWatchStream).Int(l.sentID).Bool(l.sentEvents)
	case afterSend:
		d = d.Int(l.sentID).Bool(l.sentEvents)
	case ticking:
		for _, id := range l.due {
			d = d.Int(id)
		}
	}
	return d
}
