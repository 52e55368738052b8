package etcd

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A restore makes every watcher unsynced, also one that starts at a future revision.
// syncWatchers then lowered the revision from which it wants events.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-20221-events", Issue: "etcd-io/etcd#20221", FixedIn: "etcd 3.4.38, 3.5.22 and 3.6.2",
	Summary:  "after a restore a watch from a future revision is sent events before that revision",
	Setting:  "sync-min-rev=set-to-next",
	Scenario: scenarios.FutureWatch, Property: watches.Resumable,
	Why: "the first event is older than the revision from which the watch was asked for",
})
