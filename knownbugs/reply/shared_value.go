package reply

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/reply"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// What bbolt returns is valid within its transaction only. Events whose values are not
// copied share the buffer with what is read later.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "events-share-value",
	Summary:  "all events of a response to a watch have the value of the last one",
	Setting:  "sent-events=share-value",
	Scenario: scenarios.WatchGuarantees, Property: watches.Reliable,
	Why: "key, revisions and version of each event are right, and its value was never written with them",
})

var _ = reply.Events.Register("share-value", "those of the store, with the value of the last put in all of them: no release",
	func(env *sim.Env, right []wire.Event) []wire.Event {
		if len(right) < 2 || right[len(right)-1].Type != wire.Put {
			return right
		}
		last := right[len(right)-1].Kv
		wrong := make([]wire.Event, len(right))
		for i, e := range right {
			if e.Type == wire.Put {
				kv := *e.Kv
				kv.Value = last.Value
				e.Kv = &kv
			}
			wrong[i] = e
		}
		if env.Noting() {
			env.Note(altered{"sends all events of a response with the value of the last one, " + last.Value, sim.About{Revision: last.ModRevision, Key: last.Key}})
		}
		return wrong
	})
