package etcd

import (
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/shown"
)

// The whole state of a server: copied, digested, counted and shown.

// Clone implements sim.Cloner. The store is shared until one of both writes.
func (s *Server) Clone() sim.Node {
	c := *s
	c.members.all = slices.Clone(s.members.all)
	c.log.entries = slices.Clone(s.log.entries)
	c.failed = slices.Clone(s.failed)
	c.txnPath = nil
	c.removals = slices.Clone(s.removals)
	c.lessor = s.lessor.Clone()
	c.expiry.renewals = slices.Clone(s.expiry.renewals)
	c.leader.proposals = slices.Clone(s.leader.proposals)
	c.commits.all = slices.Clone(s.commits.all)
	c.replication.log = slices.Clone(s.replication.log)
	c.replication.followers = slices.Clone(s.replication.followers)
	c.replication.indexAsked = slices.Clone(s.replication.indexAsked)
	c.reads.handlers = slices.Clone(s.reads.handlers)
	c.reads.readNotifier = slices.Clone(s.reads.readNotifier)
	c.reads.confirming = slices.Clone(s.reads.confirming)
	for i := range c.reads.handlers {
		if stream := c.reads.handlers[i].stream; stream != nil {
			own := *stream
			c.reads.handlers[i].stream = &own
		}
	}
	c.readCost = s.readCost.clone()
	c.backend = s.backend.clone()
	c.store = s.store.Clone()
	c.watch = s.watch.Clone(c.store)
	return &c
}

// Fingerprint implements sim.Fingerprinter.
func (s *Server) Fingerprint(d sim.Digest) sim.Digest {
	d = s.members.fingerprint(s.store.Fingerprint(d))
	d = s.replication.fingerprint(s.log.fingerprint(d))
	// What is committed decides the verdict at the end.
	d = d.Fold(s.commits.digest).Int(int64(len(s.commits.all)))
	if s.reads.confirmed != 0 {
		// Indices count up: only how far they are apart matters.
		d = d.Int(int64(s.reads.confirmed - s.log.applied))
	}
	d = s.backend.fingerprint(s.leader.fingerprint(d))
	if s.ending.open {
		d = s.ending.entry.payload.Digest(d.Text("ending"))
	}
	for _, p := range s.failed {
		d = p.Digest(d)
	}
	for i := range s.removals {
		r := &s.removals[i]
		d = r.entry.payload.Digest(d.Word(uint64(r.entry.from)).Bool(r.refusal != nil).Int(int64(r.jobs - s.store.FinishedJobs())))
	}
	if s.cfg.Leader != 0 {
		// It asks the leader for what comes behind.
		d = d.Text("follows").Word(s.log.committed)
	}
	if asked := len(s.replication.indexAsked); asked > 0 {
		d = d.Text("asked for the index").Int(int64(asked))
	}
	for f, due := range s.failures {
		if due > 0 {
			d = d.Int(int64(f)).Int(int64(due))
		}
	}
	d = s.expiry.fingerprint(s.lessor.Fingerprint(d))
	if n := s.replication.retries; n > 0 {
		d = d.Text("asked again").Int(int64(n))
	}
	return s.watch.Fingerprint(s.readCost.fingerprint(s.reads.fingerprint(d)))
}

// Conns implements sim.Connected.
func (s *Server) Conns(visit func(sim.Conn)) {
	for _, entries := range [...][]entry{s.log.entries[s.log.next:], s.leader.proposals} {
		for i := range entries {
			visit(entries[i].conn)
		}
	}
	if s.ending.open {
		visit(s.ending.entry.conn)
	}
	for i := range s.removals {
		visit(s.removals[i].entry.conn)
	}
	for i := range s.reads.handlers {
		if r := &s.reads.handlers[i]; r.used() {
			visit(r.conn)
		}
	}
	for i := range s.expiry.renewals {
		visit(s.expiry.renewals[i].conn)
	}
	visit(s.reads.asking)
	visit(s.reads.repeated)
	for _, conns := range [...][]sim.Conn{s.replication.indexAsked, s.replication.followers, {s.replication.leader}} {
		for _, c := range conns {
			visit(c)
		}
	}
	s.watch.Conns(visit)
}

func (l *raftLog) fingerprint(d sim.Digest) sim.Digest {
	for i := l.next; i < len(l.entries); i++ {
		e := &l.entries[i]
		d = e.payload.Digest(d.Word(uint64(e.from)))
	}
	return d.Int(int64(l.committed - l.applied)).Bool(l.skipped)
}

// fingerprint has what a follower that connects is sent.
func (r *replication) fingerprint(d sim.Digest) sim.Digest {
	for _, p := range r.log {
		d = p.Digest(d)
	}
	return d
}

func (t *reads) fingerprint(d sim.Digest) sim.Digest {
	for i := range t.handlers {
		if r := &t.handlers[i]; r.used() {
			d = r.payload.Digest(d.Int(int64(i)).Word(uint64(r.from)).Bool(r.ready).Int(r.revision))
			if r.stream != nil {
				d = r.stream.digest(d)
			}
		}
	}
	for _, places := range [2][]int32{t.readNotifier, t.confirming} {
		d = d.Int(int64(len(places)))
		for _, place := range places {
			d = d.Int(int64(place))
		}
	}
	if t.asking != sim.NoConn {
		d = d.Text("asking")
	}
	if t.repeated != sim.NoConn {
		d = d.Text("asked again").Bool(t.repeatedLate)
	}
	return d
}

// Held is what a server keeps in memory on behalf of clients.
type Held struct {
	// Calls are unary calls that have no answer yet, Followers the streams of other
	// members.
	Calls, Followers int
	// Streams are watch streams.
	Streams int
	// Waiting is how many responses to watches wait in queues, and how many watchers
	// are not synced. Unknown is how many watch ids the streams keep something for that
	// no watcher has.
	Waiting, Unknown int
	// WaitingFrom is the first revision of the events that wait for a full watch channel to
	// have room again, 0 if none do.
	WaitingFrom int64
}

// Held is what the server keeps now.
func (s *Server) Held() Held {
	h := Held{Followers: len(s.replication.followers)}
	for i := range s.reads.handlers {
		if s.reads.handlers[i].used() {
			h.Calls++
		}
	}
	h.Streams, h.Waiting, h.Unknown = s.watch.Holds()
	h.WaitingFrom = s.store.WaitingFrom()
	return h
}

// Queued visits the responses to watches on their way to be sent.
func (s *Server) Queued(visit func(*v3rpc.Queued)) { s.watch.Queued(visit) }

var _ shown.Node = (*Server)(nil)

// Show implements shown.Node.
func (s *Server) Show(visit shown.Visitor) {
	visit("revision", shown.Entry{Text: strconv.FormatInt(s.Revision(), 10)})
	var waits []shown.Entry
	for _, e := range s.log.entries[s.log.next:] {
		waits = append(waits, shown.Entry{Text: e.payload.Label()})
	}
	visit("raft log", waits...)
	s.store.Show(visit)
	s.watch.Show(visit)
}
