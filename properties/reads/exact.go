package reads

import (
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/testbed"
)

// Exact is exercised by answered reads at an exact resourceVersion.
var Exact = testbed.RegisterProperty(&testbed.Property{
	Name: "exact", Kind: testbed.Safety,
	Promise:  "A read at an exact resourceVersion is answered with the state at that version, or refused.",
	Violated: "not the state of that revision", Labels: anomalies,
	Weight:    5,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       ofHistory(linearizability.Exact),
})
