package write

import "github.com/watchbed/watchbed/sim"

// suggests: a write begins with the object of the cache.
type suggests struct {
	from            sim.NodeID
	what            string
	resourceVersion int64
}

// Text implements sim.Note.
func (n suggests) Text(w *sim.World) string {
	return "begins " + w.NodeName(n.from) + "'s " + n.what + " with the object that it has, of resourceVersion " + number(n.resourceVersion)
}

// About implements sim.Subject.
func (n suggests) About() sim.About { return sim.About{Revision: n.resourceVersion} }

// looksAgain: what was made of a suggestion may be wrong.
type looksAgain struct{}

// Text implements sim.Note.
func (looksAgain) Text(*sim.World) string {
	return "asks etcd for the object, as its own may be an old one"
}

// looksAt: the write begins again with what etcd has in place of a suggestion.
type looksAt struct{ resourceVersion int64 }

// Text implements sim.Note.
func (n looksAt) Text(*sim.World) string {
	if n.resourceVersion == 0 {
		return "begins again: etcd has no such object"
	}
	return "begins again with etcd's object, of resourceVersion " + number(n.resourceVersion)
}

// About implements sim.Subject.
func (n looksAt) About() sim.About { return sim.About{Revision: n.resourceVersion} }

// changedMeanwhile: the transaction has found another object.
type changedMeanwhile struct{ resourceVersion int64 }

// Text implements sim.Note.
func (n changedMeanwhile) Text(*sim.World) string {
	return "finds another object in etcd, of resourceVersion " + number(n.resourceVersion) + ", and begins again with that"
}

// About implements sim.Subject.
func (n changedMeanwhile) About() sim.About { return sim.About{Revision: n.resourceVersion} }
