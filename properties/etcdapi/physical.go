package etcdapi

import (
	"fmt"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Physical looks at what is left in etcd's backend when a physical compaction has been
// answered: nothing that a compaction at its revision removes. One that is refused because
// etcd was compacted there before is answered when the earlier ones are done, too. It is
// exercised by each such answer.
var Physical = testbed.RegisterProperty(&testbed.Property{
	Name: "physical-compactions", Kind: testbed.Safety,
	Promise:  "When a physical compaction is answered, what it removes has been removed.",
	Violated: "compaction answered too early",
	Past:     testbed.NoPast,
	New: func(s *testbed.System) testbed.Judge {
		return &physical{system: s, seen: make([]int, len(s.Clients()))}
	},
})

type physical struct {
	system *testbed.System
	// seen is how many operations of each client have been looked at.
	seen  []int
	tally testbed.Tally
}

// Reset implements testbed.Judge.
func (j *physical) Reset() {
	j.tally = testbed.Tally{}
	clear(j.seen)
}

// Follows implements testbed.Follower.
func (*physical) Follows(p testbed.Part) bool { return p == testbed.HistoryClient }

// AfterStep implements testbed.StepObserver.
func (j *physical) AfterStep(_ *sim.World, a sim.Action) {
	role := j.system.Role(a.Node)
	if role.Part != testbed.HistoryClient {
		return
	}
	c := j.system.Clients()[role.Place]
	for i := j.seen[role.Place]; i < len(c.Operations()) && c.Spans()[i].Answered; i++ {
		j.seen[role.Place] = i + 1
		op := &c.Operations()[i]
		r, compacts := c.Requests()[i].(*wire.CompactionRequest)
		if !compacts || !r.Physical || op.Outcome == model.Unknown || op.Result.Err != model.OK && op.Result.Err != model.Compacted {
			continue
		}
		j.tally.Exercised++
		if left := j.system.Etcd().Superseded(r.Revision); left > 0 {
			j.tally.Violate("", &notRemoved{c.Name(), op.Call, r.Revision, left})
		}
	}
}

// Finding implements testbed.Judge.
func (j *physical) Finding(*sim.World) explore.Finding { return j.tally.Finding() }

// notRemoved is an answer that came too early.
type notRemoved struct {
	client   string
	call     int64
	revision int64
	left     int
}

func (v *notRemoved) String() string {
	return fmt.Sprintf("%s was answered its physical compaction at revision %d, and changes that it removes were still there: %d", v.client, v.revision, v.left)
}

// Concerns implements explore.Concerned.
func (v *notRemoved) Concerns() explore.Concern {
	return explore.Concern{Client: v.client, Call: v.call}
}
