package etcd

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// notify did not advance the revision from which a watcher still wants events. A
// restore makes every watcher unsynced, and syncWatchers begins at that revision.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-15271", Issue: "etcd-io/etcd#15271", FixedIn: "etcd 3.4.25 and 3.5.8",
	Summary:  "after a restore from a snapshot a synced watcher is sent old events again",
	Setting:  "notify-min-rev=on-failure",
	Scenario: scenarios.WatchGuarantees, Property: watches.Unique,
	Why:        "the events are true, and come a second time",
	Further:    []*testbed.Property{watches.Bookmarkable},
	WhyFurther: "the events that come again may be older than a bookmark that was sent before",
})
