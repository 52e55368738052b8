package reads

import (
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/testbed"
)

// Pages is exercised by pages after the first.
var Pages = testbed.RegisterProperty(&testbed.Property{
	Name: "pages", Kind: testbed.Safety,
	Promise:  "The pages of one list are together the state at one revision.",
	Violated: "pages of different states", Labels: anomalies,
	Weight:    4,
	Past:      pastOf(linearizability.Pages),
	TimedPast: pastOf(linearizability.Pages),
	New:       ofHistory(linearizability.Pages),
})
