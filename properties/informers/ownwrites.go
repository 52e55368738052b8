package informers

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/controller"
	"github.com/watchbed/watchbed/testbed"
)

// OwnWrites is KEP-5647's promise. It is exercised by each update of a controller about an object that the same process has
// updated before.
var OwnWrites = testbed.RegisterProperty(&testbed.Property{
	Name: "controller-reads-own-writes", Kind: testbed.Safety,
	Promise:   "A controller never acts on a state of an object that is older than its own last write about it, of which its process had an answer.",
	Violated:  "controller acts on an old state",
	Labels:    map[string]string{"older": "controller acts on an old state"},
	Weight:    2,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       func(s *testbed.System) testbed.Judge { return &ownWrites{system: s} },
})

type ownWrites struct {
	system *testbed.System
	// acts is how many updates each controller had sent after the last step.
	acts  []int
	tally testbed.Tally
}

// Reset implements testbed.Judge.
func (j *ownWrites) Reset() {
	j.acts, j.tally = j.acts[:0], testbed.Tally{}
	for range j.system.Informers() {
		j.acts = append(j.acts, 0)
	}
}

// Follows implements testbed.Follower.
func (*ownWrites) Follows(p testbed.Part) bool {
	return p == testbed.InformerNode || p == testbed.TheWorld
}

// AfterStep implements testbed.StepObserver.
func (j *ownWrites) AfterStep(_ *sim.World, a sim.Action) {
	for _, n := range j.system.InformersAfter(a) {
		c := n.Controller()
		if c == nil {
			continue
		}
		before := &j.acts[n.ID-j.system.Informers()[0].ID]
		acted := c.Acts() > *before
		*before = c.Acts()
		last := c.Last()
		if !acted || last.Wrote == 0 {
			continue
		}
		j.tally.Exercised++
		if last.Read.ModRevision < last.Wrote {
			j.tally.Violate("older", &outdated{n.Name, last})
		}
	}
}

// Finding implements testbed.Judge.
func (j *ownWrites) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// outdated is an act on a state from before the controller's own write.
type outdated struct {
	informer string
	act      controller.Act
}

func (o *outdated) String() string {
	kv := o.act.Read
	return fmt.Sprintf("the controller of %s marks %s because of revision %d, and has written revision %d of it itself", o.informer, kv.Key, kv.ModRevision, o.act.Wrote)
}

// Concerns implements explore.Concerned.
func (o *outdated) Concerns() explore.Concern {
	return explore.Concern{Node: o.informer, Key: o.act.Read.Key, Revision: o.act.Wrote}
}
