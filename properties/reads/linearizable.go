package reads

import (
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/testbed"
)

// Linearizable is judged by the revision witness and by porcupine. It is exercised
// by consistent reads after a completed write.
var Linearizable = testbed.RegisterProperty(&testbed.Property{
	Name: "linearizable", Kind: testbed.Safety,
	Promise:  "Writes and consistent reads have one total order that respects real time; a LIST's items and its resourceVersion must both fit.",
	Violated: "not linearizable", Labels: anomalies,
	Weight:    7,
	Past:      pastOf(linearizability.Linearizable),
	TimedPast: pastOf(linearizability.Linearizable),
	New:       ofHistory(linearizability.Linearizable),
})
