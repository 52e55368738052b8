package shared

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// determineResyncPeriod is given the period of the informer twice in the port to Java.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "informer-resyncs-at-each-look", Issue: "kubernetes-client/java#2219",
	Summary:  "a handler with a resync period of its own gets a resync whenever the informer looks whose period is over",
	Setting:  "informer-handler-period=checks",
	Scenario: scenarios.HandlersResync, Property: informers.HandlerResyncs,
	Why: "the handler is told once more before its period is over",
})
