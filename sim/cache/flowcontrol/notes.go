package flowcontrol

import "github.com/watchbed/watchbed/sim"

var (
	queued    = sim.NewNote("flowcontrol.queued", "%s's %s needs %s of %d, and %d are taken: it waits in a queue")
	seated    = sim.NewNote3[sim.NodeID, sim.Payload, sim.Counted]("flowcontrol.seated", "%s's %s has its %s and begins")
	seatsKept = sim.NewNote3[sim.NodeID, sim.Payload, sim.Counted]("flowcontrol.seatsKept", "%s's %s has its initial events, and keeps its %s")
	refused   = sim.NewNote("flowcontrol.refused", "refuses %s's %s with 429: %s")
	costs     = sim.NewNote3[sim.NodeID, sim.Counted, int]("flowcontrol.costs", "%s's LIST has %s, and costs %d at etcd")
)
