package watches

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Unique is exercised by events after the first of their stream.
var Unique = testbed.RegisterProperty(&testbed.Property{
	Name: "unique", Kind: testbed.Safety,
	Promise:   "Within a stream of a watch no event comes twice.",
	Violated:  "duplicate event",
	Labels:    map[string]string{"watch": "duplicate event"},
	New:       ofWatches(model.Unique),
	Past:      pastOf,
	TimedPast: pastOf,
})
