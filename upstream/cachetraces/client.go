package main

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/traces"
)

// step is what a client asks: a call, for whose answer it waits, or a watch, behind which it waits for nothing.
type step struct {
	request sim.Payload
	// ofEtcd: etcd is asked, and not the cache.
	ofEtcd, watch bool
	// more: the rest of the last LIST is asked for, if there is more of it. There is no request.
	more bool
}

// client takes its steps one after the other, each as soon as it can: how long it takes is the same as how long the
// request is under way. It keeps what it was told.
type client struct {
	etcd, cache sim.NodeID
	steps       []step
	at          int
	// waits: a call was not answered yet. watches are the connections of watches.
	waits   bool
	watches []sim.Conn
	// told is what came on each watch. The last one is of the calls.
	told []traces.Told
	// next is where the rest of the last LIST begins.
	next string
}

var (
	_ sim.Cloner        = (*client)(nil)
	_ sim.Fingerprinter = (*client)(nil)
)

func newClient(etcd, cache sim.NodeID, steps []step) *client {
	c := &client{etcd: etcd, cache: cache, steps: steps}
	watches := 0
	for _, s := range steps {
		if s.watch {
			watches++
		}
	}
	c.told = make([]traces.Told, watches+1)
	return c
}

// begins is the timer with which a client begins, once the cache serves.
const begins sim.Timer = 0

// Start implements sim.Node.
func (c *client) Start(env *sim.Env) { env.Arm(begins, 0) }

// Fire implements sim.Node.
func (c *client) Fire(env *sim.Env, _ sim.Timer) { c.goOn(env) }

func (c *client) goOn(env *sim.Env) {
	for !c.waits && c.at < len(c.steps) {
		s := &c.steps[c.at]
		c.at++
		to := c.cache
		if s.ofEtcd {
			to = c.etcd
		}
		if s.more && c.next == "" {
			continue
		}
		if s.more {
			env.Call(to, &wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset, Limit: 1, Continue: c.next})
			c.waits = true
			continue
		}
		if !s.watch {
			env.Call(to, s.request)
			c.waits = true
			continue
		}
		conn := env.Open(to)
		c.watches = append(c.watches, conn)
		env.Send(conn, s.request)
	}
}

// Receive implements sim.Node.
func (c *client) Receive(env *sim.Env, m *sim.Message) {
	if watch := slices.Index(c.watches, m.Conn); watch >= 0 {
		c.hear(&c.told[watch], m.Payload)
		return
	}
	c.told[len(c.told)-1].Add(text(m.Payload))
	c.waits = false
	if l, is := m.Payload.(*wire.ListResponse); is {
		c.next = l.Continue
	}
	c.goOn(env)
}

// hear takes what came on a watch. That an answer which is an error is over says nothing new.
func (c *client) hear(told *traces.Told, p sim.Payload) {
	if _, over := p.(*sim.Hangup); over && len(told.Texts) > 0 && strings.HasPrefix(told.Texts[len(told.Texts)-1], failed) {
		return
	}
	told.Add(text(p))
}

// done reports whether all calls were answered.
func (c *client) done() bool { return c.at == len(c.steps) && !c.waits }

// Run implements sim.Node.
func (*client) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (*client) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (*client) TimerName(sim.Timer) string { return "begin" }

// Clone implements sim.Cloner.
func (c *client) Clone() sim.Node {
	n := *c
	n.watches, n.told = slices.Clone(c.watches), slices.Clone(c.told)
	return &n
}

// Fingerprint implements sim.Fingerprinter. What the client was told is part of it, so that states are told apart by it.
func (c *client) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(c.at)).Bool(c.waits).Text(c.next)
	for i := range c.told {
		d = c.told[i].Fingerprint(d)
	}
	return d
}
