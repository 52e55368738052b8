package etcdapi

import (
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
	New:      testbed.AfterStepsBy(func(s *testbed.System) *physical { return &physical{system: s, seen: make([]int, len(s.Clients()))} }, (*physical).step, testbed.HistoryClient),
})

type physical struct {
	system *testbed.System
	// seen is how many operations of each client have been looked at.
	seen []int
}

// Reset implements testbed.Observer.
func (j *physical) Reset() { clear(j.seen) }

func (j *physical) step(_ *sim.World, a sim.Action, all *testbed.Tally) {
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
		all.Exercised++
		if left := j.system.Etcd().Superseded(r.Revision); left > 0 {
			all.Violate("", testbed.Wrong(explore.Concern{Client: c.Name(), Call: op.Call},
				"%s was answered its physical compaction at revision %d, and changes that it removes were still there: %d",
				c.Name(), r.Revision, left))
		}
	}
}
