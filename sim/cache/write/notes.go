package write

import "github.com/watchbed/watchbed/sim"

var (
	suggests = sim.NewNote3[int64, sim.NodeID, sim.Payload]("write.suggests", "begins %[2]s's %[3]s with the object that it has, of resourceVersion %[1]r")
	// looksAgain: what was made of a suggestion may be wrong.
	looksAgain = sim.NewNote0("write.looksAgain", "asks etcd for the object, as its own may be an old one")
	// looksAt: the write begins again with what etcd has in place of a suggestion.
	looksAt = sim.NewNote("write.looksAt", "%[1]Rbegins again%[2]s")
	// asksRevision and awaitsChange begin the waits of a write that works on the states of the cache.
	asksRevision = sim.NewNote0("write.asksRevision", "waits for its own object to be as new as etcd's")
	awaitsChange = sim.NewNote1[int64]("write.awaitsChange", "waits for the change that made the transaction fail, up to revision %r")
	// takesUnwaited: an option has the write go on with what the cache has.
	takesUnwaited    = sim.NewNote0("write.takesUnwaited", "goes on with what it has, without waiting")
	changedInCache   = sim.NewNote1[int64]("write.changedInCache", "has another object now, of resourceVersion %r, and begins again with that")
	fellBack         = sim.NewNote0("write.fellBack", "has etcd's own store carry out the write, from its beginning")
	changedMeanwhile = sim.NewNote1[int64]("write.changedMeanwhile", "finds another object in etcd, of resourceVersion %r, and begins again with that")
)
