package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// CatchUp judges the end of a run: when nothing more can happen, in a timed run
// when its time is over. A run that was cut off says nothing of informers that are
// still on their way. It is exercised by each informer once.
var CatchUp = testbed.RegisterProperty(&testbed.Property{
	Name: "informer-catches-up", Kind: testbed.Liveness,
	Promise:  "At the end every informer holds what etcd has.",
	Violated: "informer never catches up",
	New:      func(s *testbed.System) testbed.Judge { return &catchUp{s} },
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
			all.Violate("behind", &behind{n.Name, n.Synced(), n.Record().Panicked, n.ResourceVersion(), j.system.Truth().Revision()})
		}
	}
	return all.Finding()
}

// behind is an informer that does not hold what etcd has, and never will.
type behind struct {
	informer          string
	synced, panicked  bool
	version, revision int64
}

func (b *behind) String() string {
	switch {
	case b.panicked:
		return b.informer + " has panicked"
	case !b.synced:
		return b.informer + " never syncs"
	}
	return fmt.Sprintf("%s is at RV %d and differs from etcd at revision %d, and stays there", b.informer, b.version, b.revision)
}

// Concerns implements explore.Concerned.
func (b *behind) Concerns() explore.Concern {
	c := explore.Concern{Node: b.informer}
	if b.synced && !b.panicked {
		c.Revision = b.revision
	}
	return c
}
