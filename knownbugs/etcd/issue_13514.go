package etcd

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// Releases 3.5.0 to 3.5.2 had it. They are in no list of versions here, so that no
// release is named as the fix.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-13514", Issue: "etcd-io/etcd#13514",
	Summary:  "after a restart etcd applies the newest entry of its log a second time",
	Setting:  "unapplied-entries=repeated",
	Scenario: scenarios.AnyEtcdRequests, Property: reads.Linearizable,
	Why:        "a revision is there that no client's request made",
	Further:    []*testbed.Property{reads.LinearizableData, reads.Exact, reads.AtMostOnce},
	WhyFurther: "the request was made once, and its second effect undoes what came after the first",
})
