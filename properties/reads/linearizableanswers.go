package reads

import (
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/testbed"
)

// LinearizableAnswers is linearizable as clients can judge it, who do not know what
// became of the writes that were not answered: porcupine tries every fate of them. Ground
// truth, which Linearizable has, would explain the effect of a write that a client was
// told to be refused. It is exercised by consistent reads after a completed write, in
// histories with a write that was not answered.
var LinearizableAnswers = testbed.RegisterProperty(&testbed.Property{
	Name: "linearizable-answers", Kind: testbed.Safety,
	Promise:  "Some fate of each write that was not answered explains all answers to the others: writes and consistent reads have one total order.",
	Violated: "no order of the answers fits", Labels: anomalies,
	Weight: 6,
	New:    ofAnswers(linearizability.Linearizable),
})
