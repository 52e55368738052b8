package compaction

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A restart put no key into the index of which only a deletion was left. The compaction
// that was interrupted went on, and did not find the deletion in the index.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-19179", Issue: "etcd-io/etcd#19179", FixedIn: "etcd 3.4.36 and 3.5.18",
	Summary:  "a compaction that goes on after a restart removes a deletion at the compacted revision",
	Setting:  "restore-tombstone=not-indexed",
	Scenario: scenarios.ResumedCompaction, Property: watches.Resumable,
	Why: "the deletion should be the first event of a watch from its revision",
})
