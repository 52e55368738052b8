package client

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Client is one API server's clientv3.Client with the etcd3 watchers that use
// it.
type Client struct {
	cfg     Config
	streams []watchGrpcStream // watcher.streams, by slot
	watches []watchChan
	calls   []unaryCall
	// results is memory for events to come. Handing them out one by one from a
	// block saves an allocation for each.
	results []wire.WatchEvent
}

var (
	_ sim.Node          = (*Client)(nil)
	_ sim.Drained       = (*Client)(nil)
	_ sim.Restarter     = (*Client)(nil)
	_ sim.Cloner        = (*Client)(nil)
	_ sim.Fingerprinter = (*Client)(nil)
)

// New returns a client.
func New(cfg Config) *Client {
	c := &Client{}
	c.Reset(cfg)
	return c
}

// Reset makes the client as New would and keeps its memory.
func (c *Client) Reset(cfg Config) {
	c.cfg = cfg
	c.forget()
}

func (c *Client) forget() {
	for i := range c.streams {
		c.streams[i].reset()
	}
	for i := range c.watches {
		c.watches[i].reset()
	}
	clear(c.calls)
	c.streams, c.watches, c.calls = c.streams[:0], c.watches[:0], c.calls[:0]
}

// Start implements sim.Node.
func (c *Client) Start(*sim.Env) {}

// watchMember is the member that watches go to.
func (c *Client) watchMember() sim.NodeID {
	if c.cfg.WatchMember != 0 {
		return c.cfg.WatchMember
	}
	return c.cfg.Etcd
}

// Restart implements sim.Restarter: the process is a new one.
func (c *Client) Restart(env *sim.Env) {
	env.Cover(restarted)
	c.forget()
}

// Receive implements sim.Node.
func (c *Client) Receive(env *sim.Env, m *sim.Message) {
	if m.From == c.cfg.Etcd || m.From == c.watchMember() {
		switch p := m.Payload.(type) {
		case *wire.WatchResponse:
			if s := c.streamOn(m.Conn); s >= 0 {
				c.respc(env, s, p)
			}
		case *sim.Hangup:
			if s := c.streamOn(m.Conn); s >= 0 {
				c.errc(env, s, p)
			} else {
				c.answered(env, m.Conn, errInterrupted)
			}
		default:
			c.answered(env, m.Conn, p)
		}
		return
	}
	switch p := m.Payload.(type) {
	case *wire.WatchStart:
		c.watch(env, m.Conn, m.From, p)
	case *wire.ProgressRequest:
		c.requestProgress(env, m.Conn, p)
	case *sim.Hangup:
		if w := c.watchOn(m.Conn); w >= 0 {
			c.contextDone(env, w)
		} else {
			c.abandoned(env, m.Conn)
		}
	default:
		c.invoke(env, m.Conn, m.From, p)
	}
}

// The tasks of watch i are tasksEach*i plus one of the first two, that of
// stream i plus the third; timers likewise.
const (
	taskStartWatching = iota
	taskProcessEvents
	taskRun
	tasksEach
)

const (
	timerBackoff = iota
	timerRetry
	timersEach
)

// Run implements sim.Node.
func (c *Client) Run(env *sim.Env, t sim.Task) {
	i := int32(t) / tasksEach
	switch int32(t) % tasksEach {
	case taskStartWatching:
		c.startWatching(env, i)
	case taskProcessEvents:
		c.processEvents(env, i)
	case taskRun:
		c.run(env, i)
	}
}

// Fire implements sim.Node.
func (c *Client) Fire(env *sim.Env, t sim.Timer) {
	i := int32(t) / timersEach
	switch int32(t) % timersEach {
	case timerBackoff:
		c.newWatchClient(env, i)
	case timerRetry:
		env.Reads(cellCall, int(i))
		c.attempt(env, int(i))
	}
}

// Drained implements sim.Drained: resultChan has room.
func (c *Client) Drained(env *sim.Env, conn sim.Conn) {
	if i := c.watchOn(conn); i >= 0 {
		c.resultChanHasRoom(env, i)
	}
}

// TaskName implements sim.Node.
func (c *Client) TaskName(t sim.Task) string {
	i := int(t) / tasksEach
	switch int(t) % tasksEach {
	case taskStartWatching:
		return "startWatching " + c.watches[i].name()
	case taskProcessEvents:
		return "processEvents " + c.watches[i].name()
	default:
		return "run" + c.streams[i].name()
	}
}

// TimerName implements sim.Node.
func (c *Client) TimerName(t sim.Timer) string {
	i := int(t) / timersEach
	if int(t)%timersEach == timerBackoff {
		return "backoff" + c.streams[i].name()
	}
	return "retry " + c.calls[i].name()
}

// numbered tells namesakes that exist at the same time apart.
func numbered(name string, n int32) string {
	if n == 0 {
		return name
	}
	return name + " #" + strconv.Itoa(int(n)+1)
}
