package etcd

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/lease"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// The cells of the store that stories ask for. An item is a revision: that of the changes, or that of the compaction.
var (
	CellRevision   = mvcc.CellRevision
	CellStore      = mvcc.CellStore
	CellCompactRev = mvcc.CellCompactRev
)

// The whole state of a server: copied, digested, counted and shown.

var (
	durables  = state.Of[durable]()
	processes = state.Of[process]()
)

// Clone implements sim.Cloner. The store is shared until one of both writes.
func (s *Server) Clone() sim.Node {
	c := *s
	durables.CloneTo(&c.durable, &s.durable)
	processes.CloneTo(&c.process, &s.process)
	c.txnPath, c.commits.all = nil, slices.Clone(s.commits.all)
	c.store = s.store.Clone()
	c.watch = s.watch.Clone(c.store)
	return &c
}

// Cells implements sim.Celled, for the state beside the store and the streams.
func (s *Server) Cells(visit sim.CellVisitor) {
	durables.Cells(&s.durable, visit)
	processes.Cells(&s.process, visit)
}

// Fingerprint implements sim.Fingerprinter. Indices of the log and numbers of compactions count up: only how far they
// are apart matters.
func (s *Server) Fingerprint(d sim.Digest) sim.Digest {
	d = sim.FoldCells(s.store.Fingerprint(d), s).Fold(s.commits.digest).Int(int64(len(s.commits.all)))
	if s.reads.confirmed != 0 {
		d = d.Int(int64(s.reads.confirmed - s.log.applied))
	}
	if s.cfg.Leader != 0 {
		// It asks the leader for what comes behind.
		d = d.Word(s.log.committed)
	}
	for _, r := range *s.removals.Value() {
		d = d.Int(int64(r.jobs - s.store.FinishedJobs()))
	}
	return s.watch.Fingerprint(d)
}

func (s *Server) Conns(visit func(sim.Conn)) {
	durables.Conns(&s.durable, visit)
	processes.Conns(&s.process, visit)
	s.watch.Conns(visit)
}

// Held is what a server keeps in memory on behalf of clients.
type Held struct {
	// Calls are unary calls that have no answer yet, Followers the streams of other
	// members.
	Calls, Followers int
	// Call is the first of the calls, and what linearizableReadLoop waits for.
	Call string
	// Streams are watch streams, Ghosts keys in the index of which a compaction has left nothing.
	Streams, Ghosts int
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
	h := Held{Followers: len(s.replication.followers), Ghosts: s.store.Ghosts()}
	for handler := range s.reads.handlers.Used() {
		h.Calls++
		if r := handler.read.Value(); h.Call == "" {
			h.Call = r.client + "'s " + r.payload.Label()
		}
	}
	if t := &s.reads; len(t.confirming) > 0 && t.asking == sim.NoConn {
		h.Call += fmt.Sprintf("; linearizableReadLoop waits until index %d is applied, and index %d is", t.confirmed, s.appliedIndex())
	}
	h.Streams, h.Waiting, h.Unknown = s.watch.Holds()
	h.WaitingFrom = s.store.WaitingFrom()
	return h
}

// Watches visits the watches of all streams, each as the request that would create it.
func (s *Server) Watches(visit func(stream sim.Conn, watch wire.WatchCreateRequest)) {
	s.watch.Watches(visit)
}

// RecvLoop says where recvLoop of a stream is, empty if there is no such stream.
func (s *Server) RecvLoop(stream sim.Conn) string { return s.watch.RecvLoop(stream) }

// Leases are those of the server, by id. They must not be changed.
func (s *Server) Leases() []lease.Lease { return s.lessor.Leases() }

// Queued visits the responses to watches on their way to be sent.
func (s *Server) Queued(visit func(*v3rpc.Queued)) { s.watch.Queued(visit) }

var _ sim.Visible = (*Server)(nil)

func (s *Server) Show(visit sim.PartVisitor) {
	visit("revision", sim.Entry{Text: strconv.FormatInt(s.Revision(), 10)})
	var waits []sim.Entry
	for _, e := range s.log.entries {
		waits = append(waits, sim.Entry{Text: e.payload.Label()})
	}
	visit("raft log", waits...)
	s.store.Show(visit)
	s.watch.Show(visit)
}
