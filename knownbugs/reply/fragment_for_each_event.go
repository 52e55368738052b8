package reply

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// Clients put the fragments together, so that nothing else shows it.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "fragment-for-each-event",
	Summary:  "a response that is too large for one message is split behind each event",
	Setting:  "fragments=single",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.Fragments,
	Why: "two events would have had room in one fragment",
})
