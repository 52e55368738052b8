package compaction

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A compaction removed every deletion up to its revision. A watch from exactly that
// revision is accepted.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-18089", Issue: "etcd-io/etcd#18089", FixedIn: "etcd 3.4.34 and 3.5.16",
	Summary:  "a watch from the compacted revision misses a deletion at that revision",
	Setting:  "compact-tombstone=removed",
	Scenario: scenarios.Outages, Property: caches.MatchEtcd,
	Why: "the cache resumes at the compacted revision and keeps the deleted object",
})
