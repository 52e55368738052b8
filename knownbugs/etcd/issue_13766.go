package etcd

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// Releases 3.5.0 to 3.5.2 had it. They are in no list of versions here, so that no
// release is named as the fix.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-13766", Issue: "etcd-io/etcd#13766",
	Summary:  "after a crash a member skips an entry that it has not applied, and its store differs from that of other members",
	Setting:  "unapplied-entries=skipped",
	Scenario: scenarios.LaggingWatches, Property: watches.Reliable,
	Why:        "the member gives later writes revisions that are too low, and sends events that never happened so",
	Further:    []*testbed.Property{watches.Bookmarkable, watches.KeepUp},
	WhyFurther: "the events of the skipped write never come, and the revisions of the member stay behind",
})
