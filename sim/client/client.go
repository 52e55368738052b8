// Package client (unstable) is the part of an API server's process that stands between its watch
// caches and etcd: etcd's clientv3, and on top of it the watcher of Kubernetes' etcd3 storage. It
// is here because events can be lost, repeated, delayed and reordered with errors between a correct
// server and a correct cache.
//
// One Client is one node. It is nothing but the two parts wired together: which
// message, task and timer belongs to which. What they do is in the packages clientv3
// and etcd3. What the node speaks with caches stands for calls and channels inside
// one process, not for a network:
//
//	stream, first *wire.WatchStart       etcd3 watcher.Watch
//	stream of *wire.ProgressRequest      clientv3 Watcher.RequestProgress; nothing
//	                                     comes back
//	call of any other request            passed on to etcd and answered; a cache's Range of
//	                                     a whole prefix may be streamed (etcd3 GetList)
//
// The package imports sim, sim/wire, sim/option and its own sub-packages. It must
// never import sim/etcd, sim/cache or model: they meet in sim/wire only.
package client

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/client/etcd3"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Client is one API server's clientv3.Client with the etcd3 watchers that use
// it.
type Client struct {
	library clientv3.Client
	watcher etcd3.Watcher
	// storage are the nodes whose Ranges are lists of etcd3's store. It never changes.
	storage []sim.NodeID
}

var (
	_ sim.Node          = (*Client)(nil)
	_ sim.Drained       = (*Client)(nil)
	_ sim.Restarter     = (*Client)(nil)
	_ sim.Cloner        = (*Client)(nil)
	_ sim.Fingerprinter = (*Client)(nil)
	_ sim.Celled        = (*Client)(nil)
)

// New returns a client.
func New(cfg Config) *Client {
	c := &Client{}
	c.Reset(cfg)
	return c
}

// The tasks of watch i are tasksEach*i plus one of the first two or of the last, that of
// stream i plus the third; timers likewise.
const (
	taskStartWatching = iota
	taskProcessEvents
	taskRun
	taskDecode
	tasksEach = taskDecode + etcd3.Decodes
)

const (
	timerBackoff = iota
	timerRetry
	timerDecode
	timersEach = timerDecode + etcd3.Decodes
)

func tasks(first int) clientv3.Series  { return clientv3.Series{First: first, Step: tasksEach} }
func timers(first int) clientv3.Series { return clientv3.Series{First: first, Step: timersEach} }

// Reset makes the client as New would and keeps its memory.
func (c *Client) Reset(cfg Config) {
	c.storage = cfg.Storage
	c.library.Reset(libraryConfig(&cfg), &c.watcher)
	c.watcher.Reset(watcherConfig(&cfg), &c.library)
}

// Reconfigure gives the client other options, as one has that comes in its place: its
// process is restarted next.
func (c *Client) Reconfigure(cfg Config) {
	c.storage = cfg.Storage
	c.library.Reconfigure(libraryConfig(&cfg))
	c.watcher.Reconfigure(watcherConfig(&cfg))
}

func libraryConfig(cfg *Config) clientv3.Config {
	return clientv3.Config{
		Options: cfg.Library, Etcd: cfg.Etcd, WatchEndpoints: cfg.WatchEndpoints, CallsTakeTurns: cfg.CallsTakeTurns,
		RunTask: tasks(taskRun), BackoffTimer: timers(timerBackoff), RetryTimer: timers(timerRetry),
	}
}

func watcherConfig(cfg *Config) etcd3.Config {
	return etcd3.Config{
		Options: cfg.Watcher, StartWatchingTask: tasks(taskStartWatching), ProcessEventsTask: tasks(taskProcessEvents),
		DecodeTask: tasks(taskDecode), DecodeTimer: timers(timerDecode),
	}
}

func (c *Client) Notices() (atLeast, atMost sim.Duration) { return c.library.Notices() }
func (c *Client) Start(*sim.Env)                          {}

// Restart implements sim.Restarter: the process is a new one.
func (c *Client) Restart(env *sim.Env) {
	c.library.Restart(env)
	c.watcher.Restart()
}

func (c *Client) Receive(env *sim.Env, m *sim.Message) {
	if c.library.IsEtcd(m.From) {
		c.library.Receive(env, m)
		return
	}
	switch p := m.Payload.(type) {
	case *wire.WatchStart:
		c.watcher.Watch(env, m.Conn, m.From, p)
	case *wire.ProgressRequest:
		c.library.RequestProgress(env, m.Conn, p)
	case *sim.Hangup:
		if !c.watcher.Stopped(env, m.Conn) && !c.watcher.ListGivenUp(env, m.Conn) {
			c.library.CallerGone(env, m.Conn)
		}
	case *wire.RangeRequest:
		if !slices.Contains(c.storage, m.From) || !c.watcher.GetList(env, m.Conn, m.From, p) {
			c.library.Invoke(env, m.Conn, m.From, p)
		}
	default:
		c.library.Invoke(env, m.Conn, m.From, p)
	}
}

func (c *Client) Run(env *sim.Env, t sim.Task) {
	i := int(t) / tasksEach
	switch task := int(t) % tasksEach; task {
	case taskStartWatching:
		c.watcher.StartWatching(env, i)
	case taskProcessEvents:
		c.watcher.ProcessEvents(env, i)
	case taskRun:
		c.library.Run(env, i)
	default:
		c.watcher.Decoded(env, i, task-taskDecode)
	}
}

func (c *Client) Fire(env *sim.Env, t sim.Timer) {
	i := int(t) / timersEach
	switch timer := int(t) % timersEach; timer {
	case timerBackoff:
		c.library.Backoff(env, i)
	case timerRetry:
		c.library.Retry(env, i)
	default:
		c.watcher.Decoded(env, i, timer-timerDecode)
	}
}

// Drained implements sim.Drained: resultChan has room.
func (c *Client) Drained(env *sim.Env, conn sim.Conn) { c.watcher.Drained(env, conn) }

func (c *Client) TaskName(t sim.Task) string {
	i := int(t) / tasksEach
	switch task := int(t) % tasksEach; task {
	case taskStartWatching:
		return "startWatching " + c.watcher.WatchName(i)
	case taskProcessEvents:
		return "processEvents " + c.watcher.WatchName(i)
	case taskRun:
		return "run" + c.library.StreamName(i)
	default:
		return c.watcher.DecodeName(i, task-taskDecode)
	}
}

func (c *Client) TimerName(t sim.Timer) string {
	i := int(t) / timersEach
	switch timer := int(t) % timersEach; timer {
	case timerBackoff:
		return "backoff" + c.library.StreamName(i)
	case timerRetry:
		return "retry " + c.library.CallName(i)
	default:
		return c.watcher.DecodeName(i, timer-timerDecode)
	}
}

func (c *Client) Clone() sim.Node {
	n := &Client{storage: c.storage}
	c.library.CloneTo(&n.library, &n.watcher)
	c.watcher.CloneTo(&n.watcher, &n.library)
	return n
}

func (c *Client) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	c.library.Cells(visit)
	c.watcher.Cells(visit)
}

func (c *Client) Conns(visit func(sim.Conn)) {
	c.library.Conns(visit)
	c.watcher.Conns(visit)
}

func (c *Client) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, c) }

// Options are everything about a client that can be set by name. The zero value is
// the newest release with its own amounts.
type Options struct {
	Library clientv3.Options
	Watcher etcd3.Options
}

func library(o *Options) *clientv3.Options { return &o.Library }
func watcher(o *Options) *etcd3.Options    { return &o.Watcher }

// Choices are the options in which releases differ, and those of planted bugs.
var Choices = option.Join(option.Lift(clientv3.Choices, library), option.Lift(etcd3.Choices, watcher))

// Group is all options of a client.
var Group = option.Join(option.Lift(clientv3.Group, library), option.Lift(etcd3.Group, watcher))

// OptionsOf are the options of an API server that was built with a release of
// clientv3, "3.5.13". The watcher is the present one, with the gates of the first Kubernetes
// that is built with that branch. It returns an error if clientv3.Release does.
func OptionsOf(version string) (Options, error) {
	var o Options
	p, err := clientv3.Release(version)
	if err != nil {
		return o, err
	}
	p.Settings = append(p.Settings[:len(p.Settings):len(p.Settings)], etcd3.GatesOf(version)...)
	return o, Group.Apply(&o, &p)
}

// Config is what a Client is made of.
type Config struct {
	Options
	// Etcd is the member that unary requests go to.
	Etcd sim.NodeID
	// WatchEndpoints are the members that watch streams are opened to, one after the
	// other; nil is Etcd.
	WatchEndpoints []sim.NodeID
	// CallsTakeTurns: unary requests go to them, too.
	CallsTakeTurns bool
	// Storage are the caches of the process. Their Ranges are those of etcd3's store; all
	// others come from callers of the client library itself.
	Storage []sim.NodeID
}

// DefaultConfig has the options of a release. The caller sets Etcd. It returns an
// error if OptionsOf does.
func DefaultConfig(version string) (Config, error) {
	o, err := OptionsOf(version)
	return Config{Options: o}, err
}
