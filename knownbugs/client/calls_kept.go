package client

import (
	"github.com/watchbed/watchbed/properties/client"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// What is left is memory only: the call has ended, and its place is never used again.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "client-keeps-calls",
	Summary:  "the client library does not forget a call whose caller is gone",
	Setting:  "abandoned-calls=kept",
	Scenario: scenarios.ErrorsAtRest, Property: client.NothingLeft,
	Why: "nothing else depends on it: the client library holds a call that nothing waits for",
})
