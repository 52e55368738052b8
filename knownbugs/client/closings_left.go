package client

import (
	"github.com/watchbed/watchbed/properties/client"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// etcd-io/etcd#6651 is about watches that cannot close while there is no connection.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-keeps-watches", Issue: "etcd-io/etcd#6651",
	Summary:  "the client library forgets nothing of watches that closed while their stream was broken",
	Setting:  "late-closings=left",
	Scenario: scenarios.ErrorsAtRest, Property: client.NothingLeft,
	Why: "the watch has ended for its cache, and goes on at etcd",
})
