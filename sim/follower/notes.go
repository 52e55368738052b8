package follower

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

var (
	lists    = sim.NewNote2[int, int64]("follower.lists", "has listed %d objects at resourceVersion %d and watches from there")
	takesIn  = sim.NewNote("follower.takesIn", "%[1]Rtakes in %[2]s%[3]K")
	answered = sim.NewNote3[sim.NodeID, *wire.ListRequest, int64]("follower.answered", "answers %s's %s at resourceVersion %d")
)
