package etcd

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// The fix of issue-15220 kept a request that met an unsynced watcher until the stream
// had sent something else.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-17507", Issue: "etcd-io/etcd#17507", FixedIn: "etcd 3.4.31 and 3.5.13",
	Summary:  "a progress request that meets an unsynced watcher is not answered until the stream sends an event",
	Setting:  "progress=deferred",
	Scenario: scenarios.Recovery, Property: reads.AnswersInTime,
	Why: "no answer is wrong; reads of a quiet range wait for progress that does not come",
})
