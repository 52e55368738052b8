package watches

import "github.com/watchbed/watchbed/testbed"

// Filter is exercised by changes that were to be left out.
var Filter = guarantee(testbed.Property{
	Name:     "filter",
	Promise:  "Every event of a watch is one that was asked for.",
	Violated: "event that was not asked for",
})
