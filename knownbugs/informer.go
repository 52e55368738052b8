package knownbugs

import (
	"github.com/watchbed/watchbed/properties/informers"
	scenarios "github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/testbed"
)

// The Python client asks for bookmarks, and did not take their resourceVersion over.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "informer-ignores-bookmarks", Issue: "kubernetes-client/python#1796",
	Summary:  "an informer of a quiet resource resumes its watch at its last event, whatever bookmarks it was sent",
	Setting:  "informer-bookmarks=ignored",
	Scenario: scenarios.Overload, Property: informers.Resumes,
	Why: "a bookmark says that there is nothing up to a later resourceVersion",
})

// An API server that is too busy for a watch was sent a LIST in its place.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-100878", Issue: "kubernetes/kubernetes#100878", FixedIn: testbed.Fix("client-go", "0.22"),
	Summary:  "an informer whose watch a busy API server refuses (429) lists everything again",
	Setting:  "informer-busy-watch=none",
	Scenario: scenarios.Refusals, Property: informers.Resumes,
	Why: "the watch could have been resumed, and everything is listed",
})

// A client that sets the limit of every list sets that of the list in one piece, too. Its
// first page is taken for everything.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-126770", Issue: "kubernetes/kubernetes#126770",
	Summary:  "an informer that lists anew because its pages expired has one page of the objects, and takes it for all",
	Setting:  "informer-whole-list=limited",
	Scenario: scenarios.ExpiredPages, Property: informers.MatchEtcd,
	Why:        "the objects behind the first page are missing",
	Further:    []*testbed.Property{informers.CatchUp},
	WhyFurther: "nothing is written to them any more, so that no event brings them",
})

// A transformer of an informer removes from each object the fields that the controller does not need. The
// store of the Reflector did not apply it any more, and the detector applied it to its list.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-135580", Issue: "kubernetes/kubernetes#135580", FixedIn: testbed.Fix("Kubernetes", "1.34.3", "1.35"),
	Summary:  "the consistency detector of an informer compares transformed objects with others, and panics",
	Setting:  "informer-comparison=transformed",
	Scenario: scenarios.Refusals, Property: informers.DetectorAccuracy,
	Why:        "what was streamed is what etcd had",
	Further:    []*testbed.Property{informers.CatchUp},
	WhyFurther: "an informer that panics stops",
})

// The Reflector asked for the newest state after 410 only. A server that had not come as
// far as the one before it was asked for the same resourceVersion again and again.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-91073", Issue: "kubernetes/kubernetes#91073", FixedIn: testbed.Fix("client-go", "0.19"),
	Summary:  "an informer whose resourceVersion no server has reached names it for ever, and does not ask for the newest state",
	Setting:  "informer-unavailable=expired",
	Scenario: scenarios.Expired, Property: informers.Resumes,
	Why: "the list after the refusal names the resourceVersion that was refused",
})

// A continue token says where to go on, and nothing of how far.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-forgets-limit",
	Summary:  "an informer that lists in pages asks for everything behind the first page at once",
	Setting:  "informer-next-page=unlimited",
	Scenario: scenarios.ExpiredPages, Property: informers.TriesAgain,
	Why: "the second page has no limit; what the informer holds is right",
})

// Watches of Kubernetes' Python client and of many operators are restarted in a loop.
// kubernetes/kubernetes#87794 gave the Reflector its backoff, which until then waited
// for a second.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-never-pauses",
	Summary:  "an informer that is refused asks again at once, and takes down the API server that is busy already",
	Setting:  "informer-pause=none",
	Scenario: scenarios.Overload, Property: informers.TriesAgain,
	Why: "the next request is sent at the time of the refusal",
})

// Below the Reflector a request is sent again every second. If that never ends, the
// Reflector never learns that the request is of no use, and neither asks for another
// state nor pauses for longer.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name:     "informer-repeats-without-end",
	Summary:  "an informer sends a request that is refused with Retry-After again without end",
	Setting:  "informer-retries=unlimited",
	Scenario: scenarios.Expired, Property: informers.TriesAgain,
	Why: "it is sent for the twelfth time",
})
