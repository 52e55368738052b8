package cache

import "github.com/watchbed/watchbed/sim"

// RecreateStorage is a fault: the API server replaces the cache of a custom
// resource by a new one, because the definition of the resource was changed
// (crdHandler.removeStorage). The process and its connections go on. Only a Cache
// can be recreated: package testbed refuses the fault for nodes of other kinds.
type RecreateStorage struct {
	// Node is the cache's.
	Node  sim.NodeID
	Label string
}

// Name implements sim.Fault.
func (f *RecreateStorage) Name() string { return "recreate " + f.Label }

// Ready implements sim.Fault.
func (f *RecreateStorage) Ready(*sim.World) bool { return true }

// Strike implements sim.Fault.
func (f *RecreateStorage) Strike(env *sim.Env) {
	recreation.strike(env, f.Node)
}

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
	loss.strike(env, f.Node)
}

// order is the message by which a fault reaches the cache. It has no answer.
type order struct {
	label    string
	carryOut func(*Cache, *sim.Env)
}

var (
	recreation = &order{"recreate", (*Cache).recreate}
	loss       = &order{"lose snapshot", func(c *Cache, env *sim.Env) { c.store.LoseSnapshot(env) }}
)

func (o *order) strike(env *sim.Env, node sim.NodeID) { env.Close(env.Call(node, o)) }

// Digest implements sim.Payload.
func (o *order) Digest(d sim.Digest) sim.Digest { return d.Text(o.label) }

// Label implements sim.Payload.
func (o *order) Label() string { return o.label }

// recreate stops the cache and starts another one in its place (Cacher.Stop and
// NewCacherFromConfig). Upstream lets requests come to their end first; here those
// that are not answered by then are refused.
func (c *Cache) recreate(env *sim.Env) {
	env.TouchesAll()
	c.dispatcher.Replaced(env)
	c.reads.Replaced(env)
	// Those of flow control and of the version check go on: they are the API server's.
	// FeatureSupportChecker.CheckClient asks no endpoint again that it has asked before.
	for t := sim.Task(0); t < taskSeats; t++ {
		env.Disable(t)
	}
	for t := sim.Timer(0); t < timerStatus; t++ {
		env.Disarm(t)
	}
	c.reflector.Close(env)
	c.requester.Close(env)
	// The clients that asked whether the API server is ready are answered by the
	// new cache.
	c.ready.Reset(env.Now(), false)
	c.forgetEverything()
	c.startIfGuardAllows(env)
}
