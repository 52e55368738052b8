package shell

import (
	"context"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// clients is the node that asks the cache on behalf of all callers.
type clients struct {
	passive
	loop    *loop
	cache   sim.NodeID
	calls   map[sim.Conn]*call
	watches map[sim.Conn]*Watch

	// asking are the calls by cause, and the watches that have not begun: what the cache asks
	// etcd while it works on a call has that call's cause. Causes that are not in use any more are in spare,
	// because a world never forgets a cause.
	asking map[sim.Cause]*call
	spare  []sim.Cause
}

// call is one request that has one answer.
type call struct {
	// ctx is the caller's.
	ctx     context.Context
	request sim.Payload
	// answer receives one payload. Nothing is sent to it afterwards.
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

// maxOpen is how many calls and watches there may be at a time. A world has
// numbers for 65,536 connections, and a call needs one more to etcd.
const maxOpen = 1 << 14

func (c *clients) full() bool { return len(c.calls)+len(c.watches) >= maxOpen }

var tooMany = &wire.Error{Code: wire.TooManyRequests, Message: "too many requests at a time", RetryAfter: 1}

// ask puts a request to the cache.
func (c *clients) ask(env *sim.Env, k *call) {
	if c.full() {
		k.answer <- tooMany
		return
	}
	c.begin(env, k)
	k.watch.ready = k.watch.called
	k.conn = env.Call(c.cache, k.request)
	c.calls[k.conn] = k
}

// begin gives a call a cause.
func (c *clients) begin(env *sim.Env, k *call) {
	if n := len(c.spare); n > 0 {
		k.cause = c.spare[n-1]
		c.spare = c.spare[:n-1]
		env.Under(k.cause)
	} else {
		k.cause = env.Begin("read", len(c.asking))
	}
	c.asking[k.cause] = k
}

// release takes its cause from a call: others may have it.
func (c *clients) release(k *call) {
	delete(c.asking, k.cause)
	c.spare = append(c.spare, k.cause)
}

// watch opens a watch of the cache.
func (c *clients) watch(env *sim.Env, w *Watch, req *wire.WatchRequest) {
	if c.full() {
		w.begun <- tooMany
		return
	}
	c.begin(env, w.beginning)
	w.conn = env.Open(c.cache)
	c.watches[w.conn] = w
	env.Send(w.conn, req)
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
	c.release(k)
}

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
	if w.begins(m.Payload) {
		if _, goesOn := m.Payload.(*wire.WatchEstablished); goesOn {
			return
		}
	} else if e, ok := m.Payload.(*wire.WatchEvent); ok {
		w.take(env, e)
		return
	}
	delete(c.watches, m.Conn)
	close(w.events)
}
