package reads

import "github.com/watchbed/watchbed/testbed"

// Sequential is exercised by reads of a client that had written or seen a write
// before.
var Sequential = guarantee(testbed.Property{
	Name:     "sequential",
	Promise:  "All operations of all clients have one total order that respects the program order of each client.",
	Violated: "not sequential",
	Weight:   3,
})
