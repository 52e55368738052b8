package leases

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
