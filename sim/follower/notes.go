package follower

import "github.com/watchbed/watchbed/sim"

var (
	lists    = sim.NewNote("follower.lists", "has listed %d objects at resourceVersion %d and watches from there")
	takesIn  = sim.NewNote("follower.takesIn", "%[1]Rtakes in %[2]s%[3]K")
	answered = sim.NewNote("follower.answered", "answers %s's %s at resourceVersion %d")
)
