package watches

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Atomic is exercised by revisions of several events.
var Atomic = testbed.RegisterProperty(&testbed.Property{
	Name: "atomic", Kind: testbed.Safety,
	Promise:   "The events of one revision come in one response.",
	Violated:  "revision in parts",
	New:       ofWatches(model.Atomic),
	Past:      pastOf,
	TimedPast: pastOf,
})
