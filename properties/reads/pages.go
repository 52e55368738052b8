package reads

import "github.com/watchbed/watchbed/testbed"

// NotOlderThan is exercised by answered reads that name a minimum resourceVersion.
var NotOlderThan = guarantee(testbed.Property{
	Name:     "not-older-than",
	Promise:  "A read that names a minimum resourceVersion is answered at that version or later.",
	Violated: "older than asked for",
})

// Pages is exercised by pages after the first.
var Pages = guarantee(testbed.Property{
	Name:     "pages",
	Promise:  "The pages of one list are together the state at one revision.",
	Violated: "pages of different states",
	Weight:   4,
})

// ReadYourWrites is exercised by reads after a completed write of the same client.
var ReadYourWrites = guarantee(testbed.Property{
	Name:     "read-your-writes",
	Promise:  "No client reads a state without its own completed writes.",
	Violated: "own write missing",
	Weight:   5,
})
