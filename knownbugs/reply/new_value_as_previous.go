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

// As if the previous value was read behind the write.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "new-value-as-previous",
	Summary:  "a put that asks for the previous value is answered the new one",
	Setting:  "answers=new-value-as-previous",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.Answers,
	Why:        "the model knows the value before the write",
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "in no order of the writes is the value of a put there before it",
})

var _ = reply.Answers.Register("new-value-as-previous", "of a put the new value where the previous one is asked for: no release",
	func(env *sim.Env, request, right sim.Payload) sim.Payload {
		p, ok := right.(*wire.PutResponse)
		if !ok || p.PrevKv == nil {
			return right
		}
		put := request.(*wire.PutRequest)
		if env.Noting() {
			env.Note(altered{"answers the new value of " + put.Key + " as the previous one", sim.About{Revision: p.Revision, Key: put.Key}})
		}
		wrong, prev := *p, *p.PrevKv
		prev.Value = put.Value
		wrong.PrevKv = &prev
		return &wrong
	})
