package testbed

import (
	"cmp"
	"math"
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// History is what the clients recorded so far in this run, or since etcd was restored from a backup. It is valid until
// the next call.
func (s *System) History() *model.History {
	s.compactorWrites()
	s.history = model.History{
		Clients: s.names, Initial: s.etcd.initial,
		Operations: s.clients.appendOperations(s.history.Operations[:0]),
	}
	if s.Restored() != nil {
		s.history.Initial = s.truth.initial
		s.history.Operations = slices.DeleteFunc(s.history.Operations[s.firstJudged(s.history.Operations):], func(op model.Operation) bool {
			// Snapshots of a cache may be from before.
			return op.Request.Freshness == model.Exact && op.Request.Revision < s.truth.initial.Revision
		})
	}
	return &s.history
}

// firstJudged is the first of operations in the order of their calls that began since etcd was restored from a backup.
func (s *System) firstJudged(ops []model.Operation) int {
	r := s.Restored()
	if r == nil {
		return 0
	}
	first, _ := slices.BinarySearchFunc(ops, r.Tick, func(op model.Operation, tick int64) int { return cmp.Compare(op.Call, tick) })
	return first
}

// Restored is the backup that etcd was restored from last, nil if it was not.
func (s *System) Restored() *etcd.Restored {
	if s.params.Faults.Restores == 0 {
		return nil
	}
	s.truth.Log()
	return s.truth.restored
}

// compactorWrites adds what the compactors wrote: a revision that no client made
// would be a violation. A compactor is a client that never heard of the outcome. What etcd did
// is as ground truth knows it.
func (s *System) compactorWrites() {
	c := &s.clients
	c.compactors = c.compactors[:0]
	if !s.topology.Compactors {
		return
	}
	revision := s.etcd.initial.Revision
	for commit := range s.truth.Committed() {
		txn, ok := commit.Request.(*wire.TxnRequest)
		if ok && commit.Revision > revision && putsCompactRev(txn) {
			client, call := s.compactorOf(commit.From, txn)
			c.compactors = append(c.compactors, model.Operation{
				Client: client, Call: call, Return: math.MaxInt64, Request: workload.Request(txn), Outcome: model.Unknown, Commit: commit.Revision,
			})
		}
		revision = commit.Revision
	}
	slices.SortStableFunc(c.compactors, func(a, b model.Operation) int { return cmp.Compare(a.Call, b.Call) })
}

// compactorOf is the client that stands for the compactor of a transaction, and the call of the first request with
// these contents: a search has one request for all that are equal. A member that is ahead of the leader names no
// server.
func (s *System) compactorOf(from sim.NodeID, txn *wire.TxnRequest) (client int, call int64) {
	contents, by := txn.Digest(sim.NewDigest), s.roles[from]
	for i, a := range s.servers {
		if by.Part != EtcdMember && by.Place != i {
			continue
		}
		for _, w := range a.compactor.Writes() {
			if w.Request.Digest(sim.NewDigest) == contents {
				return len(s.clients.history.nodes) + i, w.Call
			}
		}
	}
	panic("testbed: no compactor has requested a transaction that etcd has committed")
}

// putsCompactRev reports whether a transaction is that of a compactor. Other clients draw
// transactions that begin with a read, or are empty.
func putsCompactRev(r *wire.TxnRequest) bool {
	return len(r.Success) > 0 && r.Success[0].Put != nil && r.Success[0].Put.Key == wire.CompactRevKey
}

// Truth is ground truth of the run.
func (s *System) Truth() *Truth { return &s.truth }
