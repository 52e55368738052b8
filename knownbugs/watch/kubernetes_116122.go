package watch

import (
	"github.com/watchbed/watchbed/properties/watches"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/testbed"
)

// A watch took its initial events from one generation of the cache and was
// registered in the next. The events between the two reached it in no way.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-116122", Issue: "kubernetes/kubernetes#116122", FixedIn: "Kubernetes 1.27",
	Summary:  "a watch that is registered while the cache starts over misses events",
	Setting:  "registration=unchecked",
	Scenario: scenarios.WatchDuringRelist, Property: watches.Resumable, Strategy: "pos",
	Why:        "the watch starts where its client asked, and the events up to the new list are missing",
	Further:    []*testbed.Property{watches.Bookmarkable},
	WhyFurther: "a bookmark says that all events up to it were sent, and the missing ones were not",
})

var _ = dispatch.Registrations.Register("unchecked", "it is registered and misses what happened in between (kubernetes#116122)",
	func(int, dispatch.Readiness) bool { return true })
