package main

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/traces"
)

// step is what a client asks of etcd: a call, or something on one of its streams of watches.
type step struct {
	stream  int
	request sim.Payload
	// hasty: the client does not wait.
	hasty bool
}

// call is a request with an answer, for which the client waits.
func call(p sim.Payload) step { return step{stream: -1, request: p} }

// on is a request on a stream. The client waits until a watch that it asks for is created, and for nothing else.
func on(stream int, p sim.Payload) step { return step{stream: stream, request: p} }

// hasty is a request on a stream behind which the client waits for nothing.
func hasty(stream int, p sim.Payload) step { return step{stream, p, true} }

// client takes its steps one after the other, each as soon as it can: how long it takes is the same as how long the
// request is under way. It keeps what it was told.
type client struct {
	etcd  sim.NodeID
	steps []step
	at    int
	// waits is the connection on which the client waits, if it does.
	waits sim.Conn
	// streams are those that were opened, told what came on each. The last one is of the calls.
	streams []sim.Conn
	told    []traces.Told
}

var (
	_ sim.Cloner        = (*client)(nil)
	_ sim.Fingerprinter = (*client)(nil)
)

func newClient(etcd sim.NodeID, steps []step) *client {
	c := &client{etcd: etcd, steps: steps}
	streams := 0
	for _, s := range steps {
		streams = max(streams, s.stream+1)
	}
	c.streams, c.told = make([]sim.Conn, streams), make([]traces.Told, streams+1)
	return c
}

// Start implements sim.Node.
func (c *client) Start(env *sim.Env) { c.goOn(env) }

func (c *client) goOn(env *sim.Env) {
	for c.waits = sim.NoConn; c.waits == sim.NoConn && c.at < len(c.steps); c.at++ {
		s := &c.steps[c.at]
		if s.stream < 0 {
			c.waits = env.Call(c.etcd, s.request)
			continue
		}
		conn := &c.streams[s.stream]
		if *conn == sim.NoConn {
			*conn = env.Open(c.etcd)
		}
		env.Send(*conn, s.request)
		if _, creates := s.request.(*wire.WatchCreateRequest); creates && !s.hasty {
			c.waits = *conn
		}
	}
}

// Receive implements sim.Node.
func (c *client) Receive(env *sim.Env, m *sim.Message) {
	stream := slices.Index(c.streams, m.Conn)
	if stream < 0 {
		c.told[len(c.streams)].Add(text(m.Payload))
		c.goOn(env)
		return
	}
	c.told[stream].Add(text(m.Payload))
	r, is := m.Payload.(*wire.WatchResponse)
	if c.waits == m.Conn && (!is || r.Created) {
		c.goOn(env)
	}
}

// Fire implements sim.Node.
func (*client) Fire(*sim.Env, sim.Timer) {}

// Run implements sim.Node.
func (*client) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (*client) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (*client) TimerName(sim.Timer) string { return "" }

// Clone implements sim.Cloner.
func (c *client) Clone() sim.Node {
	n := *c
	n.streams, n.told = slices.Clone(c.streams), slices.Clone(c.told)
	return &n
}

// Fingerprint implements sim.Fingerprinter. What the client was told is part of it, so that states are told apart by it.
func (c *client) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(c.at)).Bool(c.waits != sim.NoConn)
	for i := range c.told {
		d = c.told[i].Fingerprint(d)
	}
	return d
}
