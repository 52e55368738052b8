package reads

import (
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/testbed"
)

// Monotonic is exercised by reads after another read of the same client.
var Monotonic = testbed.RegisterProperty(&testbed.Property{
	Name: "monotonic", Kind: testbed.Safety,
	Promise:  "No client reads an older state than it has read before, whichever cache it asks.",
	Violated: "client goes back in time", Labels: anomalies,
	Weight:    4,
	Past:      pastOf(linearizability.Monotonic),
	TimedPast: pastOf(linearizability.Monotonic),
	New:       ofHistory(linearizability.Monotonic),
})
