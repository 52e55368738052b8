package etcd

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A store that was never compacted has -1 as its compacted revision. A watch from -1 was
// thus accepted, and syncWatchers read the range of events of a whole round from -1,
// which is empty.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-20693", Issue: "etcd-io/etcd#20693", FixedIn: "etcd 3.4.38, 3.5.24 and 3.6.6",
	Summary:  "a watch from revision -1 makes all watchers that are synced with it miss their events",
	Setting:  "negative-start=accepted",
	Scenario: scenarios.NegativeWatch, Property: watches.Bookmarkable,
	Why: "progress says that the watch has all events, and it was sent none of them",
})
