package etcd

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// All releases have it: Created goes through the control queue, and progress through the
// watch channel. It is what the fix of issue-15220 left.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "created-overtakes-progress",
	Summary:  "Created of a new watch is sent before progress that was queued earlier, which the client takes for progress of that watch",
	Setting:  "created=past-channel",
	Scenario: scenarios.SecondWatch, Property: watches.Bookmarkable,
	Why: "the second watch is sent progress before its history",
})
