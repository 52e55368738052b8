package knownbugs

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/testbed"
)

// A lessor whose queue of what expires lacks the leases of the leader before. A revocation
// that failed had the same effect before 3.4: the lease was out of the queue, and stayed
// (etcd-io/etcd#10686).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "promoted-leases-forgotten",
	Summary:  "leases do not expire after a change of the leader unless they are kept alive once more",
	Setting:  "promoted-leases=forgotten",
	Scenario: etcdrequests.LeaseTimes, Property: etcdapi.LeasesExpire,
	Why: "no client keeps the lease alive, and it is there long after its time to live",
})

// A lessor that answers a renewal and goes by the old expiry. A client that keeps its lease
// alive in time loses it, and its keys, all the same.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "lease-renewal-lost",
	Summary:  "a keep-alive is answered with the whole time to live, and the lease expires when it would have without",
	Setting:  "lease-renewals=answered-only",
	Scenario: etcdrequests.LeaseTimes, Property: etcdapi.LeasesKept,
	Why: "the lease is gone before the time has passed that the keep-alive was answered with",
})

// The handler of LeaseTimeToLive asked whether the member leads, and then looked the lease up,
// which the lessor may have let live for ever in between (lessor.Demote).
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-17642", Issue: "etcd-io/etcd#17642", FixedIn: testbed.Fix("etcd", "3.4.32", "3.5.14"),
	Summary:  "a member that has stopped to lead says that a lease has 292 years left",
	Setting:  "lease-time-left=of-any",
	Scenario: etcdrequests.LeasesWithoutLeader, Property: etcdapi.Answers,
	Why: "more time is left than the lease was ever granted",
})
