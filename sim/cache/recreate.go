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
	// The message has no answer.
	env.Close(env.Call(f.Node, recreationMessage))
}

// recreation is the message by which the fault reaches the cache.
type recreation struct{}

var recreationMessage = &recreation{}

// Digest implements sim.Payload.
func (*recreation) Digest(d sim.Digest) sim.Digest { return d.Text("recreate") }

// Label implements sim.Payload.
func (*recreation) Label() string { return "recreate" }

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
