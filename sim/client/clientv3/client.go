package clientv3

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what a Client is made of.
type Config struct {
	Options
	// Etcd is the member that unary requests go to.
	Etcd sim.NodeID
	// WatchEndpoints are the members that watch streams are opened to, one after the
	// other, as gRPC's round_robin picks them; nil is Etcd. A stream stays on the member
	// on which it was opened. The turns that unary requests take are left out, unless
	// CallsTakeTurns: these go to the members, too, and one for the version of a member to that one.
	WatchEndpoints []sim.NodeID
	CallsTakeTurns bool
	// RunTask numbers the tasks "run" of the streams, BackoffTimer their timers,
	// RetryTimer the timers of unary calls.
	RunTask, BackoffTimer, RetryTimer Series
}

// Series are the numbers of those tasks or timers of a node that belong to one part
// of it: First, First+Step, First+2*Step ...
type Series struct{ First, Step int }

// Of is the i-th number of the series, counted from 0.
func (s Series) Of(i int32) int { return s.First + int(i)*s.Step }

// Subscriber owns watches, and reads the channels that Watch returns. Watches have
// the numbers that it gives them.
type Subscriber interface {
	// Creating: a watch is created on a stream, anew or to resume.
	Creating(env *sim.Env, watch int32)
	// Received: a watch has received a response; Take returns it.
	Received(env *sim.Env, watch int32)
	// Closed: the channel of a watch is closed. Take returns what is in it before
	// that. The subscriber calls Forget when it is done with the watch.
	Closed(env *sim.Env, watch int32)
	// Answered: the call that Ask began has ended.
	Answered(env *sim.Env, watch int32, p sim.Payload)
	// DecodeAnswer is what the caller of a call gets for its answer.
	DecodeAnswer(env *sim.Env, p sim.Payload) sim.Payload
	// Streamed: a stream that GetStream began has an element, a *wire.RangeStreamResponse or,
	// as the last one, a *wire.Error; or it is closed in order, a *sim.Hangup. It returns
	// false if the connection is none of those.
	Streamed(env *sim.Env, stream sim.Conn, p sim.Payload) bool
}

// Client is one clientv3.Client: its Watcher and its KV.
type Client struct {
	cfg        Config
	subscriber Subscriber
	// streams are watcher.streams, watches those by the subscriber's number.
	streams state.Places[Stream]        `cell:"clientv3: streams" free:"counted"`
	watches state.Places[watcherStream] `cell:"clientv3: watches"`
	calls   state.Places[unaryCall]     `cell:"clientv3: unary calls" free:"counted"`
	// nextEndpoint is the place of the member at which the next stream is opened.
	nextEndpoint state.Var[int] `cell:"clientv3: endpoint of the next stream"`
	outages      []Outage
}

var layout = state.Of[Client]()

// Cells lists the cells as sim.Celled does.
func (c *Client) Cells(visit sim.CellVisitor) { layout.Cells(c, visit) }

// Conns visits the connections of streams and of calls, by place, as sim.Connected does.
func (c *Client) Conns(visit func(sim.Conn)) { layout.Conns(c, visit) }

// CloneTo makes another client a copy of this one, for another subscriber.
// Messages are shared, they never change.
func (c *Client) CloneTo(to *Client, s Subscriber) {
	layout.CloneTo(to, c)
	to.subscriber, to.outages = s, slices.Clone(c.outages)
	for _, s := range to.streams.All() {
		s.c = to
	}
	for _, w := range to.watches.All() {
		w.c = to
	}
}

// Reset makes the client a new one for another run, and keeps its memory.
func (c *Client) Reset(cfg Config, s Subscriber) {
	c.subscriber = s
	c.Reconfigure(cfg)
	c.outages = c.outages[:0]
	layout.Name(c, 0)
	layout.Clear(c)
}

// Reconfigure gives the client other options, before its process is restarted.
func (c *Client) Reconfigure(cfg Config) {
	cfg.setDefaults()
	c.cfg = cfg
}

// Restart forgets everything: the process is a new one.
func (c *Client) Restart(env *sim.Env) {
	env.Cover(restarted)
	layout.Clear(c)
}

// unaryEndpoint is the member that a unary request goes to.
func (c *Client) unaryEndpoint(env *sim.Env, p sim.Payload) sim.NodeID {
	switch of, asks := p.(*wire.StatusRequest); {
	case !c.cfg.CallsTakeTurns:
		return c.cfg.Etcd
	case asks && of.Endpoint != wire.ServingEndpoint:
		return c.cfg.WatchEndpoints[of.Endpoint]
	}
	return c.endpoint(env)
}

// endpoint is the member whose turn it is.
func (c *Client) endpoint(env *sim.Env) sim.NodeID {
	all := c.cfg.WatchEndpoints
	if len(all) == 0 {
		return c.cfg.Etcd
	}
	if len(all) == 1 {
		return all[0]
	}
	next := c.nextEndpoint.Change(env)
	to := all[*next]
	if *next > 0 {
		env.Cover(nextMember)
	}
	*next = (*next + 1) % len(all)
	return to
}

// IsEtcd reports whether a node is one that the client opens connections to.
func (c *Client) IsEtcd(n sim.NodeID) bool {
	return n == c.cfg.Etcd || slices.Contains(c.cfg.WatchEndpoints, n)
}

// Receive takes a message from etcd.
func (c *Client) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.WatchResponse:
		if s := c.streamOn(m.Conn); s != nil {
			s.respc(env, p)
		}
	case *wire.RangeStreamResponse:
		c.subscriber.Streamed(env, m.Conn, p)
	case *sim.Hangup:
		if s := c.streamOn(m.Conn); s != nil {
			s.errc(env, p)
		} else if !c.streamHangup(env, m.Conn, p) {
			c.answered(env, m.Conn, errInterrupted)
		}
	case *wire.Error:
		if s := c.streamOn(m.Conn); s != nil {
			s.failed(env, p)
		} else if !c.subscriber.Streamed(env, m.Conn, p) {
			c.answered(env, m.Conn, p)
		}
	default:
		c.answered(env, m.Conn, p)
	}
}

// Run runs the i-th task of Config.RunTask.
func (c *Client) Run(env *sim.Env, i int) { c.streams.At(i).run(env) }

// Backoff fires the i-th timer of Config.BackoffTimer.
func (c *Client) Backoff(env *sim.Env, i int) { c.streams.At(i).newWatchClient(env) }

// Retry fires the i-th timer of Config.RetryTimer.
func (c *Client) Retry(env *sim.Env, i int) {
	u := c.calls.At(i)
	u.call.Read(env)
	c.attempt(env, u)
}

// StreamName and CallName name a task or timer of a stream or a call.
func (c *Client) StreamName(i int) string { return c.streams.At(i).loop.Value().name() }

// CallName names the timer of a call.
func (c *Client) CallName(i int) string { return c.calls.At(i).call.Value().name() }

var (
	errEndOfStream = &wire.Error{Code: wire.Internal, Message: "EOF"}
	errInterrupted = &wire.Error{Code: wire.Unavailable, Message: "the connection broke"}
)
