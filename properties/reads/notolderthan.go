package reads

import (
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/testbed"
)

// NotOlderThan is exercised by answered reads that name a minimum resourceVersion.
var NotOlderThan = testbed.RegisterProperty(&testbed.Property{
	Name: "not-older-than", Kind: testbed.Safety,
	Promise:  "A read that names a minimum resourceVersion is answered at that version or later.",
	Violated: "older than asked for", Labels: anomalies,
	Past:      testbed.NoPast,
	TimedPast: testbed.NoPast,
	New:       ofHistory(linearizability.NotOlderThan),
})
