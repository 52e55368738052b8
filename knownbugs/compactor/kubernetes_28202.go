package compactor

import (
	"github.com/watchbed/watchbed/properties/compactions"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// Before there was a key to compete for, each API server compacted by itself.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-28202", Issue: "kubernetes/kubernetes#28202", FixedIn: "Kubernetes 1.4",
	Summary:  "each API server compacts etcd once an interval, whatever the others do",
	Setting:  "compact-guard=none",
	Scenario: scenarios.CompetingCompactors, Property: compactions.HistoryKept,
	Why: "three servers compact in one interval",
})
