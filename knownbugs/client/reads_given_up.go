package client

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// clientv3 once took every error of etcd itself for one that would come again, and
// repeated a read only when its connection broke. An election made reads fail.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-gives-up-reads", Issue: "etcd-io/etcd#8327", FixedIn: "clientv3 3.3",
	Summary:  "a read fails when etcd changes its leader or times out, though it could be repeated",
	Setting:  "failed-reads=interrupted",
	Scenario: scenarios.AnyEtcdErrors, Property: reads.Repeated,
	Why: "the read had one attempt",
})
