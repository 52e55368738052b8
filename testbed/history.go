package testbed

import (
	"math"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/truth"
	"github.com/watchbed/watchbed/workload"
)

// compactorsName is the client of a history that stands for all compactors.
const compactorsName = "compactors"

// History is what the clients recorded so far in this run. It is valid until the
// next call.
func (s *System) History() *model.History {
	s.history = model.History{
		Clients: s.names, Initial: s.etcd.initial,
		Operations: s.clients.appendOperations(s.compactorWrites(s.history.Operations[:0])),
	}
	return &s.history
}

// compactorWrites adds what the compactors wrote: a revision that no client made
// would be a violation. No client recorded when they asked, so the writes are
// given as ground truth knows them, by a client that never heard of the outcome.
func (s *System) compactorWrites(ops []model.Operation) []model.Operation {
	if !s.topology.Compactors {
		return ops
	}
	revision := s.etcd.initial.Revision
	for c := range s.truth.Committed() {
		txn, ok := c.Request.(*wire.TxnRequest)
		if ok && c.Revision > revision && putsCompactRev(txn) {
			ops = append(ops, model.Operation{
				Client: len(s.clients.history), Return: math.MaxInt64, Request: workload.Request(txn), Outcome: model.Unknown, Commit: c.Revision,
			})
		}
		revision = c.Revision
	}
	// Calls of one client follow each other; these come before all others.
	for i := range ops {
		ops[i].Call = int64(i - len(ops))
	}
	return ops
}

// putsCompactRev reports whether a transaction is that of a compactor. Other clients draw
// transactions that begin with a read, or are empty.
func putsCompactRev(r *wire.TxnRequest) bool {
	return len(r.Success) > 0 && r.Success[0].Put != nil && r.Success[0].Put.Key == wire.CompactRevKey
}

// Truth is ground truth of the run.
func (s *System) Truth() *truth.Truth { return &s.truth }
