package timers

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Owned looks at the timers of a cache after each of its steps. A timer that is set
// for a read, a watch or an event that is gone goes off when its number belongs to
// another one, and keeps memory until then. How long the dispatcher may wait for watches
// that do not keep up is never less than nothing, and at most 100 ms (storage/cacher,
// timeBudget). The timers that go on as long as the cache does are not judged: those of
// bookmarks, progress, checks and compactions. It is exercised by each step of a cache: the
// wait of the dispatcher is judged after each, and a timer could be set for nothing after
// each. A cache that lets etcd answer all reads may have none in a whole run.
var Owned = testbed.RegisterProperty(&testbed.Property{
	Name: "timers-owned", Kind: testbed.Safety,
	Promise:   "A cache has a timer set only for a read that waits, a watch with a timeout, an event that is being dispatched, a page that is kept and the pause before the next list, and its dispatcher waits for at most 100 ms.",
	Violated:  "timer without an owner",
	Labels:    map[string]string{"timer": "timer without an owner", "budget": "wrong time budget"},
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &owned{system: s} },
})

// maxDispatchBudget is upstream's maxBudget.
const maxDispatchBudget = 100 * time.Millisecond

type owned struct {
	system *testbed.System
	tally  testbed.Tally
}

// Reset implements testbed.Judge.
func (j *owned) Reset() { j.tally = testbed.Tally{} }

// Follows implements testbed.Follower.
func (*owned) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

// AfterStep implements testbed.StepObserver.
func (j *owned) AfterStep(w *sim.World, a sim.Action) {
	c := j.system.Cache(a.Node)
	if c == nil || c.Timed == nil {
		return
	}
	j.tally.Exercised++
	if found := c.Timed.Ownerless(w.Armed(a.Node)); len(found) > 0 {
		j.tally.Violate("timer", &amiss{c.Name, w.Steps(), fmt.Sprintf("the timer %q is set for nothing that is there", c.Node.TimerName(found[0]))})
	}
	if b := c.Timed.DispatchBudget(); b < 0 || b > maxDispatchBudget {
		j.tally.Violate("budget", &amiss{c.Name, w.Steps(), fmt.Sprintf("the dispatcher may wait for %v", b)})
	}
}

// Finding implements testbed.Judge.
func (j *owned) Finding(*sim.World) explore.Finding { return j.tally.Finding() }
