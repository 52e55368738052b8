package read

import (
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// A read of one object did not count among those for which etcd is asked for
// progress. The lists of one object went the same way (WaitUntilFreshAndGet), and
// were found to hang.
var _ = testbed.RegisterKnownBug(&testbed.KnownBug{
	Name: "kubernetes-123674", Issue: "kubernetes/kubernetes#123674", FixedIn: "Kubernetes 1.30",
	Summary:  "a read of one object waits for a fresh cache, and etcd is not asked for progress: on a quiet range it times out",
	Setting:  "get-wait=silent",
	Scenario: scenarios.QuietGet, Property: reads.AnswersInTime,
	Why: "the revision is there, nothing is wrong, and the read is refused after three seconds",
})
