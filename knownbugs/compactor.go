package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// The answer to the transaction carries etcd's present revision, and that is for the
// next try. Used for this one it leaves no history at all.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "compacts-present-revision",
	Summary:  "an API server compacts etcd at the present revision, and not at that of an interval ago",
	Setting:  "compact-to=present",
	Scenario: scenarios.LoneCompactor, Property: caches.HistoryKept,
	Why: "what was written within the interval is gone",
})

// Before there was a key to compete for, each API server compacted by itself.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-28202", Issue: "kubernetes/kubernetes#28202", FixedIn: testbed.Fix("Kubernetes", "1.4"),
	Summary:  "each API server compacts etcd once an interval, whatever the others do",
	Setting:  "compact-guard=none",
	Scenario: scenarios.CompetingCompactors, Property: caches.HistoryKept,
	Why: "three servers compact in one interval",
})
