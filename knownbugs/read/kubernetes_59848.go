package read

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// API servers answered a LIST at resourceVersion "0" from their caches, of which
// each may be late by another time. Here every LIST is answered so.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-59848", Issue: "kubernetes/kubernetes#59848", FixedIn: "Kubernetes 1.31",
	Summary:  "a LIST is answered with what a cache has, however old: a client that moves to another API server goes back in time",
	Setting:  "freshness=none",
	Scenario: scenarios.SeveralCaches, Property: reads.Monotonic,
	Why: "each of the two caches is right about some moment; only a client that asks both sees time go back",
})
