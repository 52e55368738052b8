package knownbugs

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/testbed"
)

// removeNeedlessRangeReqs spares a member that has no client waiting the ranges of a transaction, and with them the look
// whether their revisions are there. The member with the client refuses what the others carry out. Since etcd-io/etcd#21432
// only the answers are spared.
//
// Upstream a member whose client has left in the meantime leaves the ranges out as well. Here only a follower does.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-18667", Issue: "etcd-io/etcd#18667", FixedIn: testbed.Fix("etcd", "3.7.0"),
	Summary:  "a follower carries out a transaction that the leader refuses for the revision of one of its ranges",
	Setting:  "needless-ranges=removed",
	Scenario: etcdrequests.LaggingStreams, Property: watches.Reliable,
	Why:        "the follower sends the event of a write that the leader has refused, and gives later writes revisions that are too high",
	Further:    []*testbed.Property{watches.PrevKV, watches.Resumable, watches.KeepUp, etcdapi.Answers, etcdapi.WatchAnswers},
	WhyFurther: "the contents of the two members and the revisions of later writes differ from then on",
})

// linearizableReadLoop repeated a ReadIndex with the id of the first one. A leader that had been replaced and did not
// know it (its process had been paused) took acknowledgements of the first for those of the second, and let the reads
// go that waited before it in its queue. As far as a leader and a follower can show it: the answer to the second one lets
// later reads of the follower go. That select preferred an answer to "leader changed" (etcd-io/etcd#21375)
// takes a second leader.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-20418", Issue: "etcd-io/etcd#20418", FixedIn: testbed.Fix("etcd", "3.4.42", "3.5.28", "3.6.9"),
	Summary:  "a repeated ReadIndex lets later reads of a follower go with an index from before them",
	Setting:  "read-index-ids=reused",
	Scenario: scenarios.FollowerReads, Property: reads.Linearizable,
	Why:        "a consistent LIST waits for a revision that is older than a write which had been acknowledged before it was asked",
	Further:    []*testbed.Property{reads.LinearizableData, reads.Sequential},
	WhyFurther: "the LIST lacks that write",
})
