package compaction

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A restart took the newest revision in the store for the current one. A compaction that
// was interrupted may have removed the newest one already.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-17780", Issue: "etcd-io/etcd#17780", FixedIn: "etcd 3.4.32 and 3.5.14",
	Summary:  "after a crash during a compaction the revision goes back, and revisions are given out twice",
	Setting:  "restore-revision=from-keys",
	Scenario: scenarios.CrashInCompaction, Property: reads.LinearizableData,
	Why: "two writes are answered with the same revision",
})
