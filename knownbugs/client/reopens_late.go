package client

import (
	"github.com/watchbed/watchbed/properties/client"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A client of jetcd leaves it to gRPC when to connect again. gRPC waits for a second at
// first and for up to two minutes in the end, so that an etcd that was away for a while is
// back long before its watches are.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "client-reopens-late", Issue: "etcd-io/jetcd#1616",
	Summary:  "a client library waits for as long as gRPC does before it opens a broken watch stream again: seconds, and later minutes",
	Setting:  "reopen-pause=connection",
	Scenario: scenarios.Pauses, Property: client.ReopensInTime,
	Why: "the stream is opened again, and its watches go on where they were, later than clientv3 would have it",
})
