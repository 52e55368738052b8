package reads

import (
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/testbed"
)

// Sequential is exercised by reads of a client that had written or seen a write
// before.
var Sequential = testbed.RegisterProperty(&testbed.Property{
	Name: "sequential", Kind: testbed.Safety,
	Promise:  "All operations of all clients have one total order that respects the program order of each client.",
	Violated: "not sequential", Labels: anomalies,
	Weight:    3,
	Past:      pastOf(linearizability.Sequential),
	TimedPast: pastOf(linearizability.Sequential),
	New:       ofHistory(linearizability.Sequential),
})
