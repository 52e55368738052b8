package main

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// step is what a client asks: a call, for whose answer it waits, or something on one of its streams.
type step struct {
	request sim.Payload
	// stream is the number of a stream, 0 for a call. The client waits until a watch of etcd that it asks for is
	// created, and for nothing else.
	stream int
	// hasty: the client does not wait for the watch.
	hasty bool
	// ofEtcd: etcd is asked, and not the cache.
	ofEtcd bool
	// more: the rest of the last LIST is asked for, if there is more of it. There is no request.
	more bool
}

// client takes its steps one after the other, each as soon as it can: how long it takes is the same as how long the
// request is under way. It keeps what it was told.
type client struct {
	// server is what it asks: the cache, or etcd itself.
	etcd, server sim.NodeID
	text         func(sim.Payload) string
	steps        []step
	at           int
	// waits is the connection on which the client waits, if it does.
	waits sim.Conn
	// streams are those that were opened, told what came on each. The last one is of the calls.
	streams []sim.Conn
	told    []told
	// next is where the rest of the last LIST begins.
	next string
}

var (
	_ sim.Cloner        = (*client)(nil)
	_ sim.Fingerprinter = (*client)(nil)
)

func newClient(etcd, server sim.NodeID, text func(sim.Payload) string, steps []step) *client {
	c := &client{etcd: etcd, server: server, text: text, steps: steps}
	streams := 0
	for _, s := range steps {
		streams = max(streams, s.stream)
	}
	c.streams, c.told = make([]sim.Conn, streams), make([]told, streams+1)
	return c
}

// begins is the timer with which a client of a cache begins, once the cache serves.
const begins sim.Timer = 0

// Start implements sim.Node.
func (c *client) Start(env *sim.Env) {
	if c.server == c.etcd {
		c.goOn(env)
		return
	}
	env.Arm(begins, 0)
}

// Fire implements sim.Node.
func (c *client) Fire(env *sim.Env, _ sim.Timer) { c.goOn(env) }

func (c *client) goOn(env *sim.Env) {
	for c.waits = sim.NoConn; c.waits == sim.NoConn && c.at < len(c.steps); c.at++ {
		s := &c.steps[c.at]
		to := c.server
		if s.ofEtcd {
			to = c.etcd
		}
		switch {
		case s.more && c.next == "":
		case s.more:
			c.waits = env.Call(to, &wire.ListRequest{Prefix: prefix, ResourceVersion: wire.Unset, Limit: 1, Continue: c.next})
		case s.stream == 0:
			c.waits = env.Call(to, s.request)
		default:
			conn := &c.streams[s.stream-1]
			if *conn == sim.NoConn {
				*conn = env.Open(to)
			}
			env.Send(*conn, s.request)
			if _, creates := s.request.(*wire.WatchCreateRequest); creates && !s.hasty {
				c.waits = *conn
			}
		}
	}
}

// Receive implements sim.Node.
func (c *client) Receive(env *sim.Env, m *sim.Message) {
	stream := slices.Index(c.streams, m.Conn)
	if stream < 0 {
		c.told[len(c.streams)].add(c.text(m.Payload))
		if l, is := m.Payload.(*wire.ListResponse); is {
			c.next = l.Continue
		}
		c.goOn(env)
		return
	}
	of := &c.told[stream]
	// That an answer which is an error is over says nothing new.
	if _, over := m.Payload.(*sim.Hangup); !over || len(of.texts) == 0 || !strings.HasPrefix(of.texts[len(of.texts)-1], failed) {
		of.add(c.text(m.Payload))
	}
	r, is := m.Payload.(*wire.WatchResponse)
	if c.waits == m.Conn && (!is || r.Created) {
		c.goOn(env)
	}
}

// done reports whether all calls were answered.
func (c *client) done() bool { return c.at == len(c.steps) && c.waits == sim.NoConn }

// Run implements sim.Node.
func (*client) Run(*sim.Env, sim.Task) {}

// TaskName implements sim.Node.
func (*client) TaskName(sim.Task) string { return "" }

// TimerName implements sim.Node.
func (*client) TimerName(sim.Timer) string { return "begin" }

// Clone implements sim.Cloner.
func (c *client) Clone() sim.Node {
	n := *c
	n.streams, n.told = slices.Clone(c.streams), slices.Clone(c.told)
	return &n
}

// Fingerprint implements sim.Fingerprinter. What the client was told is part of it, so that states are told apart by
// it.
func (c *client) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(int64(c.at)).Bool(c.waits != sim.NoConn).Text(c.next)
	for i := range c.told {
		d = c.told[i].fingerprint(d)
	}
	return d
}
