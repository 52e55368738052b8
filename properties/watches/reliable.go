package watches

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Reliable is exercised by events after the first of their stream. If the stream
// starts "now", the first event is the next one after that.
var Reliable = testbed.RegisterProperty(&testbed.Property{
	Name: "reliable", Kind: testbed.Safety,
	Promise:   "From the first event of a stream to its last nothing is missing, nothing is made up, and nothing is other than it happened.",
	Violated:  "missing event",
	Labels:    map[string]string{"watch": "missing event"},
	Weight:    2,
	New:       ofWatches(model.Reliable),
	Past:      pastOf,
	TimedPast: pastOf,
})
