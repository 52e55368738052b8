package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A DELETED event carried the object as it was before, its resourceVersion
// included, and a client resumes from the resourceVersion that it saw last.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-58545", Issue: "kubernetes/kubernetes#58545", FixedIn: "Kubernetes 1.10",
	Summary:  "DELETED carries the resourceVersion from before the deletion; a client that resumes from there is sent old events again",
	Setting:  "deletion-rv=previous",
	Scenario: scenarios.ResumedWatch, Property: watches.Ordered,
	Why:        "the deletion comes with an older resourceVersion than events before it",
	Further:    []*testbed.Property{watches.Reliable, watches.Resumable, watches.Bookmarkable},
	WhyFurther: "the deletion is not the event that etcd has, and a client resumes from its resourceVersion",
})
