package caches

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/testbed"
)

// NeededProgress holds each progress request of a cache against the reads that wait:
// upstream's ConditionalProgressRequester asks only while there is one (KEP-2340,
// "Progress notifications"). It is exercised whenever the last waiting read is over: from
// then on nothing may be asked. A cache that does not say how many reads wait never
// exercises it.
var NeededProgress = testbed.RegisterProperty(&testbed.Property{
	Name: "needed-progress", Kind: testbed.Safety,
	Promise:  "A cache asks etcd for progress only while a read or a watch waits for the cache to be fresh.",
	Violated: "progress requested without need",
	New:      func(s *testbed.System) testbed.Judge { return &neededProgress{system: s} },
})

// waiter is a cache that says how many reads wait.
type waiter interface{ Waiting() int }

type neededProgress struct {
	system *testbed.System
	// requested is how many requests there were after the last step, waited how many
	// reads waited then, by cache.
	requested uint64
	waited    []int
	tally     testbed.Tally
}

// Reset implements testbed.Judge.
func (j *neededProgress) Reset() {
	j.requested, j.tally = 0, testbed.Tally{}
	j.waited = make([]int, len(j.system.Caches()))
}

// AfterStep implements testbed.StepObserver.
func (j *neededProgress) AfterStep(w *sim.World, a sim.Action) {
	requested := w.Count(progress.Requested)
	for i, c := range j.system.Caches() {
		of, ok := c.Node.(waiter)
		if !ok || a.Node != c.ID {
			continue
		}
		waits := of.Waiting()
		if waits == 0 && j.waited[i] > 0 {
			j.tally.Exercised++
		}
		if requested > j.requested && waits == 0 && j.waited[i] == 0 {
			j.tally.Violate("unneeded", &unneeded{c.Name, w.Steps()})
		}
		j.waited[i] = waits
	}
	j.requested = requested
}

// Finding implements testbed.Judge.
func (j *neededProgress) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// unneeded is a progress request that no read waits for.
type unneeded struct {
	cache string
	step  int
}

func (u *unneeded) String() string {
	return fmt.Sprintf("%s asked etcd for progress in step %d, while no read or watch waited", u.cache, u.step)
}

// Concerns implements explore.Concerned.
func (u *unneeded) Concerns() explore.Concern { return explore.Concern{Node: u.cache} }
