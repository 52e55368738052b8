package ingestion

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/testbed"
)

// An election of etcd that took some seconds ended the watches of all caches. Each of them
// listed again, and ended the watches of its clients.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-111116", Issue: "kubernetes/kubernetes#111116", FixedIn: "Kubernetes 1.25",
	Summary:  "a cache lists everything again when etcd has no leader for a while, and ends all watches",
	Setting:  "watch-retry=none",
	Scenario: scenarios.NoLeader, Property: caches.Resumes,
	Why: "the watch could have gone on from where it was",
})

var _ = reflector.Retries.Register("none", "it lists again at once (kubernetes#111116)", false)
