package read

import (
	"fmt"

	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/testbed"
)

// No cache is known to have had this one.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "revision-of-last-reader",
	Summary:  "the revision that etcd answered to one reader is kept and given to the next",
	Setting:  "current-rv=last-reader",
	Scenario: scenarios.ConsistentList, Property: reads.LinearizableData,
	Why:        "the revision was asked for before the write that the reader knows of",
	Further:    []*testbed.Property{reads.Linearizable, reads.Sequential},
	WhyFurther: "the LIST is too old with its resourceVersion as without, and a client may have seen more before",
})

var _ = read.RevisionSources.Register("last-reader", "the one that etcd answered to the reader before it",
	func() read.RevisionSource { return &lastReader{cell: cellLastAnswer} })

// lastReader keeps the revision that etcd answered to a reader for the next one.
// etcd is asked all the same, so that the question takes as long.
type lastReader struct {
	cell sim.CellKind
	// answered is 0 before the first answer.
	answered int64
}

var cellLastAnswer = sim.NewCell("cache: revision of the last reader")

// Reset implements read.RevisionSource.
func (l *lastReader) Reset() { l.answered = 0 }

// Known implements read.RevisionSource.
func (l *lastReader) Known(env *sim.Env, revision int64) int64 {
	env.Reads(l.cell, 0)
	env.Writes(l.cell, 0)
	kept := l.answered
	l.answered = revision
	if kept == 0 || kept == revision {
		return revision
	}
	if env.Noting() {
		env.Note(otherReader{kept})
	}
	return kept
}

// Clone implements read.RevisionSource.
func (l *lastReader) Clone() read.RevisionSource { c := *l; return &c }

// Cells implements read.RevisionSource.
func (l *lastReader) Cells(visit sim.CellVisitor) {
	visit(l.cell, 0, sim.NewDigest.Int(l.answered))
}

// otherReader: a read waits for the revision that etcd answered to another one.
type otherReader struct{ kept int64 }

// Text implements sim.Note.
func (n otherReader) Text(*sim.World) string {
	return fmt.Sprintf("waits for revision %d, which etcd answered to the reader before", n.kept)
}

// About implements sim.Subject.
func (n otherReader) About() sim.About { return sim.About{Revision: n.kept} }
