package compactor

import "github.com/watchbed/watchbed/sim"

var (
	// revisionKnown: etcd is compacted, or about to be.
	revisionKnown = sim.NewNote1[int64]("compactor.revisionKnown", "knows etcd to be compacted at revision %r")
	tryWon        = sim.NewNote1[int64]("compactor.tryWon", "may compact etcd, at revision %r")
	uncontested   = sim.NewNote0("compactor.uncontested", "is to compact etcd, whatever other servers do")
)
