package etcd

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// The response that ends a compacted watch did not fit into the watch channel. The
// watcher was then treated as if its history was there.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-17529", Issue: "etcd-io/etcd#17529", FixedIn: "etcd 3.4.31 and 3.5.13",
	Summary:  "a watcher below the compacted revision becomes synced with events missing if its channel is full",
	Setting:  "compacted-unsynced=falls-through",
	Scenario: scenarios.CompactedWatch, Property: watches.Bookmarkable,
	Why: "progress says that the watch has all events, and those that were compacted never came",
})
