package compactor

import "github.com/watchbed/watchbed/sim"

var (
	// revisionKnown: etcd is compacted, or about to be.
	revisionKnown = sim.NewNote1[int64]("compactor.revisionKnown", "knows etcd to be compacted at revision %r")
	tryWon        = sim.NewNote1[int64]("compactor.tryWon", "may compact etcd, at revision %r")
	uncontested   = sim.NewNote0("compactor.uncontested", "is to compact etcd, whatever other servers do")
)

var (
	bootstrapped  = sim.NewCoveragePoint("compactor: first try, nothing to compact to yet")
	won           = sim.NewCoveragePoint("compactor: won the right to compact")
	lost          = sim.NewCoveragePoint("compactor: another server was first")
	compacted     = sim.NewCoveragePoint("compactor: etcd compacted")
	compactFailed = sim.NewCoveragePoint("compactor: key written, and compaction failed")
	tryFailed     = sim.NewCoveragePoint("compactor: outcome of a try unknown")
	heard         = sim.NewCoveragePoint("compactor: compaction of a server heard of by watch")
	watchEnded    = sim.NewCoveragePoint("compactor: watch of the key ended")
	keyUnread     = sim.NewCoveragePoint("compactor: key could not be read")
)
