package watches

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Ordered is exercised by events after the first of their stream.
var Ordered = testbed.RegisterProperty(&testbed.Property{
	Name: "ordered", Kind: testbed.Safety,
	Promise:   "Within a stream of a watch revisions never go back.",
	Violated:  "events out of order",
	Labels:    map[string]string{"watch": "events out of order"},
	New:       ofWatches(model.Ordered),
	Past:      pastOf,
	TimedPast: pastOf,
})
