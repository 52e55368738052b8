package watches

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/testbed"
)

// Filter is exercised by changes that were to be left out.
var Filter = testbed.RegisterProperty(&testbed.Property{
	Name: "filter", Kind: testbed.Safety,
	Promise:   "Every event of a watch is one that was asked for.",
	Violated:  "event that was not asked for",
	New:       ofWatches(model.Filter),
	Past:      pastOf,
	TimedPast: pastOf,
})
