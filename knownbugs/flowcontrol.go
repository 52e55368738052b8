package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios/seats"
	"github.com/watchbed/watchbed/testbed"
)

// The signal that a watch is initialized was not given for those that an aggregated API
// server served. Here it is given for none.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-105409", Issue: "kubernetes/kubernetes#105409", FixedIn: testbed.Fix("Kubernetes", "1.23"),
	Summary:  "a watch keeps its seats until it ends: a few watches that last take the seats of everything else",
	Setting:  "watch-seats=ended",
	Scenario: seats.Queues, Property: caches.SeatsKept,
	Why: "each request that is executed has an answer, and the right one; what waits has none until a watch ends",
})

// No API server is known to have had this one. Requests of a queue lie in the order of their
// arrival, and upstream looked through them for those that were too old until it found one
// that was not.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "queue-times-out",
	Summary:  "when a request has waited too long for seats, all that wait behind it in its queue are refused with it",
	Setting:  "queue-timeout=queue",
	Scenario: seats.Waits, Property: caches.SeatsKept,
	Why: "a refusal for lack of seats is nothing unusual: only how long the request has waited says that it came too early",
})
