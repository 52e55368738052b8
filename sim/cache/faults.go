package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
)

// Fault is a fault that reaches a Cache as a message, which has no answer. Package testbed refuses it for nodes of
// other kinds.
type Fault struct {
	node sim.NodeID
	name string
	order
}

// RecreateStorage is a fault: the API server replaces the cache of a custom
// resource by a new one, because the definition of the resource was changed
// (crdHandler.removeStorage). The process and its connections go on.
func RecreateStorage(node sim.NodeID, label string) *Fault {
	return &Fault{node, "recreate " + label, order{"recreate", (*Cache).recreate}}
}

// LoseSnapshot is a fault: the next change that a cache takes in leaves no snapshot, so
// that the one before it is stale: it stands for the state after that change as well
// (KEP-4988, "Snapshotting algorithm"). The newest state is right.
func LoseSnapshot(node sim.NodeID, label string) *Fault {
	lose := func(c *Cache, env *sim.Env) { c.store.LoseSnapshot(env) }
	return &Fault{node, "lose next snapshot of " + label, order{"lose snapshot", lose}}
}

func (f *Fault) Name() string        { return f.name }
func (*Fault) Ready(*sim.World) bool { return true }
func (f *Fault) Strike(env *sim.Env) { env.Close(env.Call(f.node, &f.order)) }

// order is what the message has the cache do.
type order struct {
	label    string
	carryOut func(*Cache, *sim.Env)
}

func (o *order) Digest(d sim.Digest) sim.Digest { return d.Text(o.label) }
func (o *order) Label() string                  { return o.label }

// recreate stops the cache and starts another one in its place (Cacher.Stop and
// NewCacherFromConfig). Upstream lets requests come to their end first; here those
// that are not answered by then are refused.
func (c *Cache) recreate(env *sim.Env) {
	env.TouchAll()
	c.dispatcher.Replaced(env)
	c.reads.Replaced(env)
	c.writes.Replaced(env)
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
	c.forgetEverything(env.Now())
	c.startIfGuardAllows(env)
}

// handleWhileStarting takes a message while the guard waits for versions, or the
// API server does not serve. It reports false if the message is for the cache.
func (c *Cache) handleWhileStarting(env *sim.Env, m *sim.Message) bool {
	refusal := c.guard.Refusal(env)
	if c.guard.Receive(env, m) {
		c.serveFrom(env, refusal)
		return true
	}
	if refusal == nil {
		return false
	}
	switch m.Payload.(type) {
	case *wire.ReadyzRequest:
		c.ready.Ask(env, m.Conn)
	case *sim.Hangup:
	case *wire.WatchRequest:
		env.Cover(requestBeforeStart)
		dispatch.Refuse(env, m.Conn, refusal)
	default:
		env.Cover(requestBeforeStart)
		env.Send(m.Conn, refusal)
	}
	return true
}

// fireStatus runs when the timer of an endpoint goes off.
func (c *Cache) fireStatus(env *sim.Env, endpoint int) {
	refusal := c.guard.Refusal(env)
	c.guard.Fire(env, endpoint)
	c.serveFrom(env, refusal)
}

// serveFrom starts the rest of the cache if the guard has just let it. before is
// what the guard refused requests with until now.
func (c *Cache) serveFrom(env *sim.Env, before *wire.Error) {
	if before != nil && c.guard.Refusal(env) == nil {
		c.startServing(env)
	}
}

// Aborted is why the API server did not start, empty if it did, or still may.
func (c *Cache) Aborted() string { return c.guard.Aborted() }

// Starting reports whether the API server waits for the version of etcd before it starts.
func (c *Cache) Starting() bool { return c.guard.Waits() }

// TrustsProgress reports whether reads may rely on etcd's progress notifications, as far
// as the version check has come.
func (c *Cache) TrustsProgress() bool { return c.guard.Trusts() }

var requestBeforeStart = sim.NewCoveragePoint("cache: request to an API server that has not started")
