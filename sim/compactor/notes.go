package compactor

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// revisionKnown: the compactor knows etcd to be compacted at a greater revision
// than before, or about to be.
type revisionKnown struct{ revision int64 }

func (n revisionKnown) Text(*sim.World) string {
	return "knows etcd to be compacted at revision " + strconv.FormatInt(n.revision, 10)
}

func (n revisionKnown) About() sim.About { return sim.About{Revision: n.revision} }

// tryWon: this server may compact.
type tryWon struct{ revision int64 }

func (n tryWon) Text(*sim.World) string {
	return "may compact etcd, at revision " + strconv.FormatInt(n.revision, 10)
}

func (n tryWon) About() sim.About { return sim.About{Revision: n.revision} }

// uncontested: the server compares nothing.
type uncontested struct{}

func (uncontested) Text(*sim.World) string { return "is to compact etcd, whatever other servers do" }
