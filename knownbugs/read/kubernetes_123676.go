package read

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A LIST at resourceVersion "0" could not be told from one that gives none: after
// parsing both were 0.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-123676", Issue: "kubernetes/kubernetes#123676", FixedIn: "Kubernetes 1.30",
	Summary:  "a LIST at resourceVersion 0 waits like a consistent one",
	Setting:  "zero-rv=consistent",
	Scenario: scenarios.AnyWithoutProgress, Property: reads.AnswersInTime,
	Why: "what is asked for is in the cache already; the answer is right, and comes too late or not at all",
})
