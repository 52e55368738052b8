package etcd

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// The answer to a progress request went into the control queue of the stream, beside the
// watch channel that holds the events. sendLoop takes from either.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-15220", Issue: "etcd-io/etcd#15220", FixedIn: "etcd 3.4.25 and 3.5.8",
	Summary:  "a requested progress notification overtakes events, and is sent although watchers are not synced",
	Setting:  "progress=control-queue",
	Scenario: scenarios.ConsistentList, Property: reads.LinearizableData,
	Why: "the cache takes the notification for the proof that it has all events, and answers without one of them",
})
