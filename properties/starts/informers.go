package starts

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// InformersSync judges where all the time of a run has passed. It is exercised by each informer once,
// so that it is for scenarios in which no informer starts anew at the end.
var InformersSync = testbed.RegisterProperty(&testbed.Property{
	Name: "informers-sync", Kind: testbed.Liveness,
	Promise:   "An informer has a first state of its resource before the time of the run is over, however far the caches are behind.",
	Violated:  "informer never initialises",
	Labels:    map[string]string{"unsynced": "informer never initialises"},
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &informersSync{s} },
})

type informersSync struct{ system *testbed.System }

// Reset implements testbed.Judge.
func (*informersSync) Reset() {}

// Finding implements testbed.Judge.
func (j *informersSync) Finding(w *sim.World) explore.Finding {
	var all testbed.Tally
	for _, n := range j.system.Informers() {
		switch {
		case n.Synced():
			all.Exercised++
		case over(w, j.system):
			all.Exercised++
			all.Violate("unsynced", &unsynced{n.Name, n.Record().Requests})
		}
	}
	return all.Finding()
}

// unsynced is an informer whose process has no state yet, in all the time that there was.
type unsynced struct {
	informer string
	requests int
}

func (u *unsynced) String() string {
	return fmt.Sprintf("%s has no state yet, and has asked for one %d times", u.informer, u.requests)
}

// Concerns implements explore.Concerned.
func (u *unsynced) Concerns() explore.Concern { return explore.Concern{Node: u.informer} }
