package reflector

import "github.com/watchbed/watchbed/sim"

var (
	// cellState is the state of the machine and what it has under way.
	cellState = sim.NewCell("cache: reflector")
	// cellItems is the list that has come so far; an item is the number of an
	// initial event.
	cellItems = sim.NewCell("cache: list of the reflector")
	// cellPosition is where the next watch starts.
	cellPosition = sim.NewCell("cache: position of the reflector")
	// cellWatch is how the present watch has gone so far.
	cellWatch = sim.NewCell("cache: watch of the reflector")
)
