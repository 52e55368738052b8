package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// LoseSnapshot is a fault: the next change that a cache takes in leaves no snapshot, so
// that the one before it is stale: it stands for the state after that change as well
// (KEP-4988, "Snapshotting algorithm"). The newest state is right. Only a Cache has
// snapshots: package testbed refuses the fault for nodes of other kinds.
type LoseSnapshot struct {
	// Node is the cache's.
	Node  sim.NodeID
	Label string
}

// Name implements sim.Fault.
func (f *LoseSnapshot) Name() string { return "lose next snapshot of " + f.Label }

// Ready implements sim.Fault.
func (f *LoseSnapshot) Ready(*sim.World) bool { return true }

// Strike implements sim.Fault.
func (f *LoseSnapshot) Strike(env *sim.Env) {
	// The message has no answer.
	env.Close(env.Call(f.Node, lossMessage))
}

// loss is the message by which the fault reaches the cache.
type loss struct{}

var lossMessage = &loss{}

// Digest implements sim.Payload.
func (*loss) Digest(d sim.Digest) sim.Digest { return d.Text("lose snapshot") }

// Label implements sim.Payload.
func (*loss) Label() string { return "lose snapshot" }

// AscendSnapshots implements Remembering.
func (c *Cache) AscendSnapshots(f func(until int64, ascend func(func(*wire.KeyValue) bool))) {
	c.store.AscendSnapshots(f)
}
