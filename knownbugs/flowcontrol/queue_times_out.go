package flowcontrol

import (
	"github.com/watchbed/watchbed/properties/load"
	"github.com/watchbed/watchbed/scenarios/seats"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/testbed"
)

// No API server is known to have had this one. Requests of a queue lie in the order of their
// arrival, and upstream looked through them for those that were too old until it found one
// that was not.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "queue-times-out",
	Summary:  "when a request has waited too long for seats, all that wait behind it in its queue are refused with it",
	Setting:  "queue-timeout=queue",
	Scenario: seats.Waits, Property: load.SeatsKept,
	Why: "a refusal for lack of seats is nothing unusual: only how long the request has waited says that it came too early",
})

var _ = flowcontrol.QueueTimeouts.Register("queue", "all of them", func(waiting int) int { return waiting })
