package informer

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// An API server that is too busy for a watch was sent a LIST in its place.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-100878", Issue: "kubernetes/kubernetes#100878", FixedIn: "client-go 0.22",
	Summary:  "an informer whose watch a busy API server refuses (429) lists everything again",
	Setting:  "informer-busy-watch=none",
	Scenario: scenarios.Refusals, Property: informers.Resumes,
	Why: "the watch could have been resumed, and everything is listed",
})
