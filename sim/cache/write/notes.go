package write

import "github.com/watchbed/watchbed/sim"

var (
	suggests = sim.NewNote3[int64, sim.NodeID, sim.Payload]("write.suggests", "begins %[2]s's %[3]s with the object that it has, of resourceVersion %[1]r")
	// looksAgain: what was made of a suggestion may be wrong.
	looksAgain = sim.NewNote0("write.looksAgain", "asks etcd for the object, as its own may be an old one")
	// looksAt: the write begins again with what etcd has in place of a suggestion.
	looksAt          = sim.NewNote("write.looksAt", "%[1]Rbegins again%[2]s")
	changedMeanwhile = sim.NewNote1[int64]("write.changedMeanwhile", "finds another object in etcd, of resourceVersion %r, and begins again with that")
)
