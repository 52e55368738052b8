package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/testbed"
)

// A Range that is faster than the writes and the compaction beside it is answered.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "compaction-in-range",
	Summary:  "a Compact does not wait for a Range, which is refused although it asks for the present",
	Setting:  "compaction-in-range=goes-on",
	Scenario: etcdrequests.CompactionInRange, Property: etcdapi.Answers,
	Why: "a Range of the present is never of a compacted revision",
})

// A restart took the newest revision in the store for the current one. A compaction that
// was interrupted may have removed the newest one already.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-17780", Issue: "etcd-io/etcd#17780", FixedIn: testbed.Fix("etcd", "3.4.32", "3.5.14"),
	Summary:  "after a crash during a compaction the revision goes back, and revisions are given out twice",
	Setting:  "restore-revision=from-keys",
	Scenario: scenarios.CrashInCompaction, Property: reads.LinearizableData,
	Why: "two writes are answered with the same revision",
})

// A compaction removed every deletion up to its revision. A watch from exactly that
// revision is accepted.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-18089", Issue: "etcd-io/etcd#18089", FixedIn: testbed.Fix("etcd", "3.4.34", "3.5.16"),
	Summary:  "a watch from the compacted revision misses a deletion at that revision",
	Setting:  "compact-tombstone=removed",
	Scenario: scenarios.Outages, Property: caches.MatchEtcd,
	Why: "the cache resumes at the compacted revision and keeps the deleted object",
})

// A restart put no key into the index of which only a deletion was left. The compaction
// that was interrupted went on, and did not find the deletion in the index.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-19179", Issue: "etcd-io/etcd#19179", FixedIn: testbed.Fix("etcd", "3.4.36", "3.5.18"),
	Summary:  "a compaction that goes on after a restart removes a deletion at the compacted revision",
	Setting:  "restore-tombstone=not-indexed",
	Scenario: scenarios.ResumedCompaction, Property: watches.Resumable,
	Why: "the deletion should be the first event of a watch from its revision",
})

// doCompact ends at the first generation of a key that ends at the compacted revision or later. Since 3.4.34 and 3.5.16
// the backend keeps the deletion that ends it, and nothing later of that revision.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-22376", Issue: "etcd-io/etcd#22376",
	Summary:  "a compaction loses a key that its revision deletes and puts again, and a read of the key ends the process",
	Setting:  "compact-recreated=lost",
	Scenario: etcdrequests.RewrittenKeys, Property: reads.LinearizableData,
	Why:        "after the restart the key is not there, and no client has deleted it",
	Further:    []*testbed.Property{reads.Linearizable, etcdapi.Answers},
	WhyFurther: "the process ends while it answers a read of the key",
})

// A compaction of few changes is one batch, and answered in time.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "physical-after-first-batch",
	Summary:  "a physical compaction is answered when its first batch is done, and others are to come",
	Setting:  "physical-compaction=after-first-batch",
	Scenario: etcdrequests.PhysicalCompactions, Property: etcdapi.Physical,
	Why: "changes that the compaction removes are still in the backend",
})
