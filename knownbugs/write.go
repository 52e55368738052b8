package knownbugs

import (
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	scenarios "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// Kubernetes 1.37.2 still has it: getState makes the error of the resourceVersion 0. So the design v0.37.2 sets the
// option.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-138724", Issue: "kubernetes/kubernetes#138724", FixedIn: testbed.Fix("Kubernetes", "1.38"),
	Summary:  "the error of a write that finds no object has the resourceVersion 0",
	Setting:  "not-found-rv=none",
	Scenario: scenarios.ObjectWrites, Property: scenarios.NotFoundVersions,
	Why: "a caller of the storage cannot say which state it is that has no such object",
})

// No release had it: the change that brought the suggestion looked at etcd from the beginning.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-35415", Issue: "kubernetes/kubernetes#35415",
	Summary:  "an update takes the object of the cache for the one in etcd, in all that it checks",
	Setting:  "suggestion=trusted-by-updates",
	Scenario: scenarios.ObjectWrites, Property: scenarios.WriteRefusals,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData, scenarios.WriteAnswers},
	WhyFurther: "a refusal without a reason has no place among the other operations, nor has an old object in an answer",
	Why:        "the first client that has changed an object is refused because the cache has not heard of that yet",
})

// No release had it: the change that brought the suggestion looked at etcd from the beginning.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-35415-deepcopy", Issue: "kubernetes/kubernetes#35415",
	Summary:  "an update changes the object of the cache itself, before etcd has it",
	Setting:  "suggestion=live",
	Scenario: scenarios.GuaranteedUpdates, Property: caches.MatchEtcd,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "the cache serves what is not written",
	Why:        "the cache shows what is not written yet, and never may be",
	Unsearched: "changes an object of the cache without a new resourceVersion: a run compares the cache with etcd when that is " +
		"new, and a search after each step of the cache, so that what the search finds is seen later in the run of its " +
		"schedule",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-43152", Issue: "kubernetes/kubernetes#43152", FixedIn: testbed.Fix("Kubernetes", "1.8"),
	Summary:  "an update that fails on the object of the cache is refused, however old that is",
	Setting:  "suggestion=trusted-by-update-function",
	Scenario: scenarios.ObjectWrites, Property: scenarios.WriteRefusals,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "a refusal without a reason has no place among the other operations",
	Why:        "the update requires the resourceVersion that its client was answered, and the cache is not there yet",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-48394", Issue: "kubernetes/kubernetes#48394", FixedIn: testbed.Fix("Kubernetes", "1.8"),
	Summary:  "an update that changes nothing of the object of the cache is answered with that, however old it is",
	Setting:  "suggestion=trusted-unchanged",
	Scenario: scenarios.ObjectWrites, Property: scenarios.WriteAnswers,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "an old object has no place behind the answer to a later write",
	Why:        "an update that has been answered is missing in the object that a later one returns",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-54780", Issue: "kubernetes/kubernetes#54780", FixedIn: testbed.Fix("Kubernetes", "1.9"),
	Summary:  "an update that finds nothing to change in an old object is over, though it has something to change in the new one",
	Setting:  "suggestion=settled",
	Scenario: scenarios.ObjectWrites, Property: scenarios.NoLostUpdates,
	Why: "the object that it returns lacks what it was to add",
})

// In Kubernetes it was an update function that failed: one that deletes an object because of
// finalizers that it does not have any more. Upstream's table of reproductions has it as the
// validation of a deletion.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-77619", Issue: "kubernetes/kubernetes#77619", FixedIn: testbed.Fix("Kubernetes", "1.15"),
	Summary:  "a deletion that the object of the cache does not allow is refused, however old that is",
	Setting:  "suggestion=trusted-by-validation",
	Scenario: scenarios.ObjectWrites, Property: scenarios.WriteRefusals,
	Why: "the client has just given the object what allows the deletion",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-82303", Issue: "kubernetes/kubernetes#82303", FixedIn: testbed.Fix("Kubernetes", "1.16"),
	Summary:  "an update whose precondition the object of the cache does not meet is refused, however old that is",
	Setting:  "suggestion=trusted-by-precondition",
	Scenario: scenarios.ObjectWrites, Property: scenarios.WriteRefusals,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "a refusal without a reason has no place among the other operations",
	Why:        "the precondition is the resourceVersion that the client was answered, and the cache is not there yet",
})

// No release had it: the change that brought the suggestion looked at etcd from the beginning.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-89828-deleted-object", Issue: "kubernetes/kubernetes#89828",
	Summary:  "a deletion that finds the object gone is answered as if it had deleted it",
	Setting:  "vanished=deleted",
	Scenario: scenarios.ObjectWrites, Property: scenarios.WriteAnswers,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "two deletions are answered one revision, or one that another write made",
	Why:        "two clients delete one object, and both are told that they have",
})

// No release had it: the change that brought the suggestion looked at etcd from the beginning.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-89828-precondition", Issue: "kubernetes/kubernetes#89828",
	Summary:  "a deletion whose precondition the object of the cache does not meet is refused, however old that is",
	Setting:  "suggestion=trusted-by-deletions",
	Scenario: scenarios.ObjectWrites, Property: scenarios.WriteRefusals,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "a refusal without a reason has no place among the other operations",
	Why:        "the precondition is the resourceVersion that the client was answered, and the cache is not there yet",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "write-conflict-unwaited", Issue: "kubernetes/enhancements#6407",
	Summary:  "a write whose transaction failed goes on with what the cache has, which may be what failed",
	Setting:  "cached-state=conflict-unwaited",
	Scenario: scenarios.CachedWrites, Property: scenarios.WriteRefusals,
	Further:    []*testbed.Property{scenarios.NotFoundVersions, reads.Linearizable, reads.LinearizableData},
	WhyFurther: "a refusal for an old object has no place among the other operations",
	Why:        "the object of the conflict has not changed in the cache yet, which the write takes for an error",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "write-refresh-unread", Issue: "kubernetes/enhancements#6407",
	Summary:  "a write that fails on the object of the cache looks into the cache again, and not whether that is current",
	Setting:  "cached-state=refresh-unread",
	Scenario: scenarios.CachedWrites, Property: scenarios.WriteRefusals,
	Further:    []*testbed.Property{reads.Linearizable, reads.LinearizableData},
	WhyFurther: "a refusal for an old object has no place among the other operations",
	Why:        "the precondition is the resourceVersion that the client was answered, and the cache is not there yet",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "write-missing-trusted", Issue: "kubernetes/enhancements#6407",
	Summary:  "a write of an object that the cache does not have is refused as not found, however old the cache is",
	Setting:  "cached-state=missing-trusted",
	Scenario: scenarios.CachedWrites, Property: scenarios.WriteRefusals,
	Further:    []*testbed.Property{scenarios.NotFoundVersions, reads.Linearizable, reads.LinearizableData},
	WhyFurther: "a refusal for an old state has no place among the other operations, and has its resourceVersion",
	Why:        "the client has just created the object",
})

var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "write-creation-unchanged", Issue: "kubernetes/enhancements#6407",
	Summary:  "an update that creates an object fails if another client creates and deletes that meanwhile",
	Setting:  "cached-state=unchanged-creation",
	Scenario: scenarios.RecreatedObjects, Property: scenarios.WriteRefusals,
	Why: "after the conflict there is no object again, which the write takes for an error of the cache",
})
