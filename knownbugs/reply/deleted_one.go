package reply

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/reply"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// The deletion itself is right: a client that only reads keys sees nothing of it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "deletes-count-one",
	Summary:  "the deletion of a range is answered as if it had deleted one key",
	Setting:  "answers=deletes-count-one",
	Scenario: scenarios.AnyEtcdRequests, Property: reads.Linearizable,
	Why:        "no order of the writes has the range with one key in it",
	Further:    []*testbed.Property{reads.LinearizableData, etcdapi.Answers},
	WhyFurther: "the answer is wrong at its revision, too",
})

var _ = reply.Answers.Register("deletes-count-one", "of a deletion that one key is deleted, however many are: no release",
	func(env *sim.Env, _, right sim.Payload) sim.Payload {
		d, ok := right.(*wire.DeleteRangeResponse)
		if !ok || d.Deleted < 2 {
			return right
		}
		if env.Noting() {
			env.Note(altered{"answers that one key is deleted, and more were", sim.About{Revision: d.Revision}})
		}
		wrong := *d
		wrong.Deleted = 1
		return &wrong
	})
