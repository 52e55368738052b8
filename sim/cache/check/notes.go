package check

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

type (
	// checks: a consistency check begins.
	checks struct{ at int64 }
	// differs: a consistency check has failed.
	differs struct{ at int64 }
	// answerDiffers: an answered list is not what etcd has.
	answerDiffers struct{ at int64 }
	// compacted: etcd was compacted.
	compacted struct{ revision int64 }
)

func (n checks) Text(*sim.World) string {
	return "compares its contents with etcd's at revision " + number(n.at)
}

func (n differs) Text(*sim.World) string {
	return "finds that etcd has other contents at revision " + number(n.at)
}

func (n answerDiffers) Text(*sim.World) string {
	return "finds that etcd has other contents at revision " + number(n.at) + " than the cache has answered"
}

func (n compacted) Text(*sim.World) string {
	return "drops the snapshots from before the compaction at revision " + number(n.revision)
}

// About implements sim.Subject.
func (n checks) About() sim.About { return sim.About{Revision: n.at} }

// About implements sim.Subject.
func (n differs) About() sim.About { return sim.About{Revision: n.at} }

// About implements sim.Subject.
func (n answerDiffers) About() sim.About { return sim.About{Revision: n.at} }

// About implements sim.Subject.
func (n compacted) About() sim.About { return sim.About{Revision: n.revision} }

func number(n int64) string { return strconv.FormatInt(n, 10) }
