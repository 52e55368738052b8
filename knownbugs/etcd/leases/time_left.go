package leases

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/testbed"
)

// The handler of LeaseTimeToLive asked whether the member leads, and then looked the lease up,
// which the lessor may have let live for ever in between (lessor.Demote).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-17642", Issue: "etcd-io/etcd#17642", FixedIn: "etcd 3.4.32 and 3.5.14",
	Summary:  "a member that has stopped to lead says that a lease has 292 years left",
	Setting:  "lease-time-left=of-any",
	Scenario: etcdrequests.LeasesWithoutLeader, Property: etcdapi.Answers,
	Why: "more time is left than the lease was ever granted",
})
