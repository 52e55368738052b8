package leases

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/testbed"
)

// A lessor that answers a renewal and goes by the old expiry. A client that keeps its lease
// alive in time loses it, and its keys, all the same.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "lease-renewal-lost",
	Summary:  "a keep-alive is answered with the whole time to live, and the lease expires when it would have without",
	Setting:  "lease-renewals=answered-only",
	Scenario: etcdrequests.LeaseTimes, Property: etcdapi.LeasesKept,
	Why: "the lease is gone before the time has passed that the keep-alive was answered with",
})
