package reads

import (
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/testbed"
)

// LinearizableData is Linearizable without the LIST's own resourceVersion: if it
// is violated, a completed write is missing, or what was gone is seen. It is
// exercised by consistent reads after a completed write.
var LinearizableData = testbed.RegisterProperty(&testbed.Property{
	Name: "linearizable-data", Kind: testbed.Safety,
	Promise:  "Writes and consistent reads have one total order that respects real time; only the items of a LIST must fit, whatever resourceVersion it names.",
	Violated: "not linearizable", Labels: anomalies,
	Weight:    8,
	Past:      pastOf(linearizability.LinearizableData),
	TimedPast: pastOf(linearizability.LinearizableData),
	New:       ofHistory(linearizability.LinearizableData),
})
