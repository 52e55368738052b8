package members

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// linearizableReadLoop repeated a ReadIndex with the id of the first one. A leader that had been replaced and did not
// know it (its process had been paused) took acknowledgements of the first for those of the second, and let the reads
// go that waited before it in its queue. As far as a leader and a follower can show it: the answer to the second one lets
// later reads of the follower go. That select preferred an answer to "leader changed" (etcd-io/etcd#21375)
// takes a second leader.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-20418", Issue: "etcd-io/etcd#20418", FixedIn: "etcd 3.4.42, 3.5.28 and 3.6.9",
	Summary:  "a repeated ReadIndex lets later reads of a follower go with an index from before them",
	Setting:  "read-index-ids=reused",
	Scenario: scenarios.FollowerReads, Property: reads.Linearizable,
	Why:        "a consistent LIST waits for a revision that is older than a write which had been acknowledged before it was asked",
	Further:    []*testbed.Property{reads.LinearizableData, reads.Sequential},
	WhyFurther: "the LIST lacks that write",
})
