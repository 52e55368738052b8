package etcd

import (
	"github.com/watchbed/watchbed/properties/etcdapi"
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// Releases before 3.4.20 and 3.5.5 answered so where a permission was missing. There are no
// permissions here, so no release is named as the fix: the bug concerns the refusals that
// there are.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "issue-12385", Issue: "etcd-io/etcd#12385",
	Summary:  "the refusal of a watch carries the id 0, and the first watch of the stream is sent nothing more",
	Setting:  "refused-watch-id=as-asked",
	Scenario: scenarios.AnyEtcdRequests, Property: etcdapi.WatchAnswers,
	Why:        "no create request is answered with an id that another watch has",
	Further:    []*testbed.Property{watches.KeepUp, watches.Bookmarkable, watches.Resumable, watches.Reliable, etcdapi.NothingLeft},
	WhyFurther: "sendLoop takes the first watch for canceled, and keeps its events for a Created that does not come",
})
