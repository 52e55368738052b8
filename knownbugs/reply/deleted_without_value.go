package reply

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/reply"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// A cache makes the object of DELETED from the previous value. Without selectors nothing
// else depends on it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "deleted-without-value",
	Summary:  "the previous value of a deletion has the revisions of the key, and no value",
	Setting:  "sent-events=deleted-without-value",
	Scenario: scenarios.ErrorsAtRest, Property: watches.EventTypes,
	Why: "DELETED has to carry the last state of the object",
})

var _ = reply.Events.Register("deleted-without-value", "those of the store, but the previous values of deletions are empty: no release",
	func(env *sim.Env, right []wire.Event) []wire.Event {
		var wrong []wire.Event
		for i, e := range right {
			if e.Type != wire.Delete || e.PrevKv == nil {
				continue
			}
			if wrong == nil {
				wrong = append(wrong, right...)
			}
			prev := *e.PrevKv
			prev.Value = ""
			wrong[i].PrevKv = &prev
			if env.Noting() {
				env.Note(altered{"sends the deletion of " + e.Kv.Key + " without its last value", sim.About{Revision: e.Kv.ModRevision, Key: e.Kv.Key}})
			}
		}
		if wrong == nil {
			return right
		}
		return wrong
	})
