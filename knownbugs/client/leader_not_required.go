package client

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-89488", Issue: "kubernetes/kubernetes#89488", FixedIn: "Kubernetes 1.19",
	Summary:  "an API server watches without requiring a leader, and its watch hangs at a member of etcd that is cut off from the others",
	Setting:  "require-leader=never",
	Scenario: scenarios.MemberPartition, Property: reads.ServedWithoutMember,
	Why: "the member keeps the stream open and has nothing new to send, so consistent LISTs wait in vain until the network is back",
})
