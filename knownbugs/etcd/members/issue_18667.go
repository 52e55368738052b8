package members

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios/etcdrequests"
	"github.com/watchbed/watchbed/testbed"
)

// removeNeedlessRangeReqs spares a member that has no client waiting the ranges of a transaction, and with them the look
// whether their revisions are there. The member with the client refuses what the others carry out. Since etcd-io/etcd#21432
// only the answers are spared.
//
// Upstream a member whose client has left in the meantime leaves the ranges out as well. Here only a follower does.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-18667", Issue: "etcd-io/etcd#18667", FixedIn: "etcd 3.7.0",
	Summary:  "a follower carries out a transaction that the leader refuses for the revision of one of its ranges",
	Setting:  "needless-ranges=removed",
	Scenario: etcdrequests.LaggingStreams, Property: watches.Reliable,
	Why:        "the follower sends the event of a write that the leader has refused, and gives later writes revisions that are too high",
	Further:    []*testbed.Property{watches.PrevKV, watches.Resumable, watches.KeepUp, etcdapi.Answers, etcdapi.WatchAnswers},
	WhyFurther: "the contents of the two members and the revisions of later writes differ from then on",
})
