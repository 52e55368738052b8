package etcd

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// Clone implements sim.Cloner. The store is shared until one of both writes.
func (s *Server) Clone() sim.Node {
	c := *s
	c.members.all = slices.Clone(s.members.all)
	c.log.entries = slices.Clone(s.log.entries)
	c.failed = slices.Clone(s.failed)
	c.txnPath = nil
	c.leader.proposals = slices.Clone(s.leader.proposals)
	c.commits.all = slices.Clone(s.commits.all)
	c.replication.log = slices.Clone(s.replication.log)
	c.replication.followers = slices.Clone(s.replication.followers)
	c.reads.handlers = slices.Clone(s.reads.handlers)
	c.reads.readNotifier = slices.Clone(s.reads.readNotifier)
	c.reads.confirming = slices.Clone(s.reads.confirming)
	c.readCost = s.readCost.clone()
	c.store = s.store.Clone()
	c.watch = s.watch.Clone(c.store)
	return &c
}

// Fingerprint implements sim.Fingerprinter.
func (s *Server) Fingerprint(d sim.Digest) sim.Digest {
	d = s.members.fingerprint(s.store.Fingerprint(d))
	d = s.log.fingerprint(d)
	// What is committed decides the verdict at the end.
	d = d.Word(uint64(s.commits.digest)).Int(int64(len(s.commits.all)))
	if s.reads.confirmed != 0 {
		// Indices count up: only how far they are apart matters.
		d = d.Int(int64(s.reads.confirmed - s.log.applied))
	}
	d = s.leader.fingerprint(d)
	for _, p := range s.failed {
		d = p.Digest(d)
	}
	for f, due := range s.failures {
		if due > 0 {
			d = d.Int(int64(f)).Int(int64(due))
		}
	}
	return s.watch.Fingerprint(s.readCost.fingerprint(s.reads.fingerprint(d)))
}

func (l *raftLog) fingerprint(d sim.Digest) sim.Digest {
	for i := l.next; i < len(l.entries); i++ {
		e := &l.entries[i]
		d = e.payload.Digest(d.Word(uint64(e.from)))
	}
	return d.Int(int64(l.committed - l.applied))
}

func (t *reads) fingerprint(d sim.Digest) sim.Digest {
	for i := range t.handlers {
		if r := &t.handlers[i]; r.used() {
			d = r.payload.Digest(d.Int(int64(i)).Word(uint64(r.from)).Bool(r.ready))
		}
	}
	for _, places := range [2][]int32{t.readNotifier, t.confirming} {
		d = d.Int(int64(len(places)))
		for _, place := range places {
			d = d.Int(int64(place))
		}
	}
	return d
}
