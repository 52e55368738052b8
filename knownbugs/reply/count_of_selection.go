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

// etcd counts the keys of a range before it looks at the bounds of revisions.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "count-of-selection",
	Summary:  "a range with bounds of revisions is answered the number of keys within the bounds, and not that of all keys of the range",
	Setting:  "answers=count-of-selection",
	Scenario: scenarios.AnyEtcdRequests, Property: reads.LinearizableData,
	Why:        "the keys are right and their number is not",
	Further:    []*testbed.Property{reads.Linearizable, reads.Exact, etcdapi.Answers},
	WhyFurther: "each of them compares the number as well",
})

var _ = reply.Answers.Register("count-of-selection", "of a range the number of keys within the bounds of revisions: no release",
	func(env *sim.Env, _, right sim.Payload) sim.Payload {
		r, ok := right.(*wire.RangeResponse)
		if !ok || r.More || len(r.Kvs) == 0 || r.Count == int64(len(r.Kvs)) {
			return right
		}
		if env.Noting() {
			env.Note(altered{"counts the keys that it sends, and not those of the range", sim.About{Revision: r.Revision, Key: r.Kvs[0].Key}})
		}
		wrong := *r
		wrong.Count = int64(len(r.Kvs))
		return &wrong
	})
