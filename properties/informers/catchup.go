package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/truth"
)

// CatchUp judges the end of a run: when nothing more can happen, in a timed run
// when its time is over. A run that was cut off says nothing of informers that are
// still on their way. It is exercised by each informer once.
var CatchUp = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-catches-up", Kind: testbed.Liveness,
	Promise:   "At the end every informer holds what etcd has.",
	Violated:  "informer never catches up",
	Labels:    map[string]string{"behind": "informer never catches up"},
	Weight:    1,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &catchUp{s} },
})

type catchUp struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*catchUp) Reset() {}

// Finding implements testbed.Judge.
func (j *catchUp) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, n := range j.system.Informers() {
		switch {
		case j.system.Current(n):
			all.Exercised++
		case j.system.IsOver(w):
			all.Exercised++
			b := &behind{informer: n.Name, panicked: n.Record().Panicked, version: n.ResourceVersion()}
			if n.Synced() {
				b.differs = j.system.Compare(n, j.system.Truth().Revision(), n.Ascend)
			}
			all.Violate("behind", b)
		}
	}
	return all.Finding()
}

// behind is an informer that does not hold what etcd has, and never will.
type behind struct {
	informer string
	panicked bool
	version  int64
	// differs is the first object in which it is not what etcd has; nil if it never
	// syncs.
	differs *truth.Difference
}

func (b *behind) String() string {
	switch {
	case b.panicked:
		return b.informer + " has panicked"
	case b.differs == nil:
		return b.informer + " never syncs"
	case b.differs.Got == nil:
		return fmt.Sprintf("%s stays at RV %d and is never sent %s=%s of revision %d", b.informer, b.version, b.differs.Key, b.differs.Want.Value, b.differs.Want.ModRevision)
	case b.differs.Want == nil:
		return fmt.Sprintf("%s stays at RV %d and keeps %s=%s, which etcd deleted at revision %d", b.informer, b.version, b.differs.Key, b.differs.Got.Value, b.differs.Deleted)
	}
	return fmt.Sprintf("%s stays at RV %d and keeps %s of revision %d; etcd has it of revision %d", b.informer, b.version, b.differs.Key, b.differs.Got.ModRevision, b.differs.Want.ModRevision)
}

// Concerns implements explore.Concerned.
func (b *behind) Concerns() explore.Concern {
	if b.differs == nil || b.panicked {
		return explore.Concern{Node: b.informer}
	}
	return b.differs.Concerns()
}
