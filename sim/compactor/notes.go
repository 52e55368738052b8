package compactor

import "github.com/watchbed/watchbed/sim"

var (
	// revisionKnown: etcd is compacted, or about to be.
	revisionKnown = sim.NewNote("compactor.revisionKnown", "knows etcd to be compacted at revision %r")
	tryWon        = sim.NewNote("compactor.tryWon", "may compact etcd, at revision %r")
	uncontested   = sim.NewNote("compactor.uncontested", "is to compact etcd, whatever other servers do")
)
