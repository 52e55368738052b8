package shell

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// clients is the node that asks the cache on behalf of all callers.
type clients struct {
	loop    *loop
	cache   sim.NodeID
	calls   map[sim.Conn]*call
	watches map[sim.Conn]*Watch

	// asking are the calls by cause: what the cache asks etcd while it works on a
	// call has that call's cause. Causes that nobody has any more are in spare: a
	// world never forgets one.
	asking map[sim.Cause]*call
	spare  []sim.Cause
}

// call is one request that has one answer.
type call struct {
	request sim.Payload
	// answer takes what comes, and then nobody sends to it again.
	answer chan sim.Payload
	conn   sim.Conn
	cause  sim.Cause
	watch  stopwatch
}

func newClients(l *loop) *clients {
	return &clients{
		loop:    l,
		calls:   map[sim.Conn]*call{},
		watches: map[sim.Conn]*Watch{},
		asking:  map[sim.Cause]*call{},
	}
}

// ask puts a request to the cache.
func (c *clients) ask(env *sim.Env, k *call) {
	if n := len(c.spare); n > 0 {
		k.cause = c.spare[n-1]
		c.spare = c.spare[:n-1]
		env.Under(k.cause)
	} else {
		k.cause = env.Begin("read", len(c.asking))
	}
	c.asking[k.cause] = k
	k.watch.ready = k.watch.called
	k.conn = env.Call(c.cache, k.request)
	c.calls[k.conn] = k
}

// abandon gives a call up whose caller has gone. The cache finishes it for
// itself.
func (c *clients) abandon(env *sim.Env, k *call) {
	if c.calls[k.conn] == k {
		c.forget(k)
		env.Close(k.conn)
	}
}

func (c *clients) forget(k *call) {
	delete(c.calls, k.conn)
	delete(c.asking, k.cause)
	c.spare = append(c.spare, k.cause)
}

// Start implements sim.Node.
func (c *clients) Start(*sim.Env) {}

// Receive implements sim.Node.
func (c *clients) Receive(env *sim.Env, m *sim.Message) {
	if k := c.calls[m.Conn]; k != nil {
		k.watch.answered(c.loop, c.loop.due)
		c.forget(k)
		k.answer <- m.Payload
		return
	}
	w := c.watches[m.Conn]
	if w == nil {
		return
	}
	if e, ok := m.Payload.(*wire.WatchEvent); ok {
		w.take(env, e)
		return
	}
	delete(c.watches, m.Conn)
	close(w.events)
}

// Fire, Run, TaskName and TimerName implement sim.Node: there are none.
func (*clients) Fire(*sim.Env, sim.Timer)   {}
func (*clients) Run(*sim.Env, sim.Task)     {}
func (*clients) TaskName(sim.Task) string   { return "" }
func (*clients) TimerName(sim.Timer) string { return "" }
