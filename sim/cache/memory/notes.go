package memory

import "github.com/watchbed/watchbed/sim"

var killed = sim.NewNote("memory.killed", "takes memory for %d objects, more than the %d that it may: its process is killed")
