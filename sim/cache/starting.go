package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
)

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
