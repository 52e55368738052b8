package reads

import (
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/testbed"
)

// ReadYourWrites is exercised by reads after a completed write of the same client.
var ReadYourWrites = testbed.RegisterProperty(&testbed.Property{
	Name: "read-your-writes", Kind: testbed.Safety,
	Promise:  "No client reads a state without its own completed writes.",
	Violated: "own write missing", Labels: anomalies,
	Weight:    5,
	Past:      pastOf(linearizability.ReadYourWrites),
	TimedPast: pastOf(linearizability.ReadYourWrites),
	New:       ofHistory(linearizability.ReadYourWrites),
})
