package reply

import (
	"strconv"

	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/reply"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// sendLoop does not look up the previous value of a key that is created. One that did, at
// the revision of the event instead of the one before, would find the key itself.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "previous-of-created",
	Summary:  "the event that creates a key carries a previous value, although there was none",
	Setting:  "sent-events=previous-of-created",
	Scenario: scenarios.PreviousValues, Property: watches.PrevKV,
	Why: "the event itself is right",
})

var _ = reply.Events.Register("previous-of-created", "those of the store, but a key that is created is its own previous value: no release",
	func(env *sim.Env, right []wire.Event) []wire.Event {
		var wrong []wire.Event
		for i, e := range right {
			if e.Type != wire.Put || e.Kv.CreateRevision != e.Kv.ModRevision {
				continue
			}
			if wrong == nil {
				wrong = append(wrong, right...)
			}
			wrong[i].PrevKv = e.Kv
			if env.Noting() {
				env.Note(altered{"sends the creation of " + e.Kv.Key + " at revision " + strconv.FormatInt(e.Kv.ModRevision, 10) + " with a previous value", sim.About{Revision: e.Kv.ModRevision, Key: e.Kv.Key}})
			}
		}
		if wrong == nil {
			return right
		}
		return wrong
	})
