package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/wire"
)

// flowConfig is what the priority level of the cache is made of.
func (c *Cache) flowConfig() flowcontrol.Config {
	return flowcontrol.Config{Options: c.cfg.Flow, Task: taskSeats, Timer: timerSeats, Surroundings: surroundings{c}}
}

// Flow implements FlowControlled.
func (c *Cache) Flow() *flowcontrol.Level { return &c.flow }

// Execute implements flowcontrol.Surroundings. A request that was answered on the spot
// has nothing that will end later.
func (c surroundings) Execute(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.ListRequest:
		c.reads.GetList(env, m, p)
	case *wire.GetRequest:
		c.reads.Get(env, m, p)
	case *wire.WatchRequest:
		c.dispatcher.Watch(env, m, p)
	}
	if c.flow.Limits() && !c.reads.Serves(env, m.Conn) && !c.dispatcher.Initializes(env, m.Conn) {
		c.flow.Finished(env, m.Conn)
	}
}

// Refuse implements flowcontrol.Surroundings.
func (c surroundings) Refuse(env *sim.Env, m *sim.Message, err *wire.Error) {
	if _, watch := m.Payload.(*wire.WatchRequest); watch {
		dispatch.Refuse(env, m.Conn, err)
		return
	}
	env.Send(m.Conn, err)
}

// Resource implements flowcontrol.Surroundings.
func (c surroundings) Resource(env *sim.Env) flowcontrol.Resource {
	objects, counted := c.store.Count(env)
	return flowcontrol.Resource{Objects: objects, Counted: counted, ConsistentReadSupported: c.guard.ConsistentReadSupported(env)}
}

// Delegates implements read.Surroundings.
func (c surroundings) Delegates(env *sim.Env, conn sim.Conn) *wire.Error {
	return c.flow.Delegates(env, conn)
}

// Ended implements read.Surroundings.
func (c surroundings) Ended(env *sim.Env, conn sim.Conn) { c.flow.Finished(env, conn) }

// Initialized implements dispatch.Surroundings.
func (c surroundings) Initialized(env *sim.Env, conn sim.Conn) { c.flow.Finished(env, conn) }
