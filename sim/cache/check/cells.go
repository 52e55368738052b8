package check

import "github.com/watchbed/watchbed/sim"

var (
	cellChecker     = sim.NewCell("cache: consistency checker")
	cellCompactions = sim.NewCell("cache: questions to the compactor")
	// cellDetector is the comparisons under way, cellLog all that began; an item
	// is the number of a comparison, from 1.
	cellDetector = sim.NewCell("cache: comparisons of lists")
	cellLog      = sim.NewCell("cache: log of comparisons")
)
