package client

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A progress notification reaches all watches of the client library. Those on other
// streams may have events under way that the notification does not include.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "progress-of-another-stream",
	Summary:  "a progress notification of one stream ends the wait of reads whose watch is on another stream",
	Setting:  "progress-scope=client",
	Scenario: scenarios.SeveralCaches, Property: caches.MatchEtcd,
	Why: "the cache says it is at a version whose events are under way on its own stream",
})
