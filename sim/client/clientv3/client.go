package clientv3

import (
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/release"
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

// Holds is what the client library has in memory: watches that were requested and not
// forgotten, calls that are under way or wait for their next attempt, and requests and
// closing watches that wait for run.
func (c *Client) Holds() (watches, calls, waiting int) {
	for _, s := range c.streams.All() {
		waiting += len(s.reqc.All()) + len(s.closingc.All())
	}
	return c.watches.Len(), c.calls.Len(), waiting
}

// StreamBacksOff reports whether the i-th stream is to be opened again, and CallBacksOff whether the i-th call is to be
// made again.
func (c *Client) StreamBacksOff(i int) bool {
	return c.streams.At(i).loop.Value().state == streamBackingOff
}

func (c *Client) CallBacksOff(i int) bool { return c.calls.At(i).call.Value().state == callBackingOff }

// Watches visits the watches that are registered on streams, each as it was asked for there, under the id that etcd
// gave it. ending: that a compaction has ended it lies in the buffer, so that etcd has it only if it was resumed since
// then.
func (c *Client) Watches(visit func(stream sim.Conn, watch wire.WatchCreateRequest, ending bool)) {
	for _, s := range c.streams.All() {
		for _, n := range s.substreams.All() {
			w := c.watches.At(int(n.watch))
			r := *w.create()
			r.WatchID, r.StartRevision = n.id, w.sub.Value().asked
			visit(s.loop.Value().conn, r, slices.ContainsFunc(w.buf.Value().All(), func(p *wire.WatchResponse) bool { return p.CompactRevision != 0 }))
		}
	}
}

// WithoutWatches visits the streams that are open for no watch: all that were on one have ended, and its queue has only
// entries that were abandoned.
func (c *Client) WithoutWatches(visit func(stream sim.Conn)) {
	for _, s := range c.streams.All() {
		if l := s.loop.Value(); l.state == streamSelecting && s.hasNoWatch() {
			visit(l.conn)
		}
	}
}

func (s *Stream) hasNoWatch() bool {
	return len(s.substreams.All()) == 0 && !slices.ContainsFunc(s.resuming.All(), func(w number) bool { return w != noWatch })
}

// WasAbandoned reports whether a watch was created on a stream when its caller had gone: etcd keeps it until a
// response to it comes.
func (c *Client) WasAbandoned(stream sim.Conn, id int64) bool {
	return slices.ContainsFunc(c.streams.All(), func(s *Stream) bool {
		l := s.loop.Value()
		return l.conn == stream && slices.Contains(l.abandoned, id)
	})
}

// Abandoned is how many watches WasAbandoned reports of.
func (c *Client) Abandoned() (n int) {
	for _, s := range c.streams.All() {
		n += len(s.loop.Value().abandoned)
	}
	return n
}

// Show shows the responses that the subscribers have not taken.
func (c *Client) Show(visit sim.PartVisitor) {
	var list []sim.Entry
	for _, w := range c.watches.All() {
		for _, r := range w.buf.Value().All() {
			list = append(list, r.Entry())
		}
	}
	visit("buf", list...)
}

func (c *Client) Notices() (atLeast, atMost sim.Duration) {
	if c.cfg.WithoutKeepalive {
		return 0, 0
	}
	return Notices()
}

// Notices is how long gRPC's keepalive takes as Kubernetes has it: a ping after keepaliveTime without a message, and
// keepaliveTimeout.
func Notices() (atLeast, atMost sim.Duration) {
	const keepaliveTime, keepaliveTimeout = 30 * time.Second, 10 * time.Second
	return keepaliveTimeout, keepaliveTime + keepaliveTimeout
}

// change is something that releases brought, with the values that options have
// from then on.
type change struct {
	since    release.Since
	settings []option.Setting
}

// oldest is what 3.3.14 had where it is not the first value of an option.
var oldest = option.Settings("resume-revision=at-header")

// changes are all that is known. Read in the sources of 3.3.14, 3.3.27, 3.4.0, 3.4.24, 3.4.25, 3.4.31,
// 3.5.7, 3.5.8, 3.5.12, 3.5.13, 3.5.35, 3.6.16 and 3.7.3: nothing else differs in the
// watch path. 3.7.0 brought GetStream, which etcd3 calls if its gate is on (etcd3.GatesOf).
var changes = []change{
	{release.SinceAll("3.4.24", "3.5.8"), option.Settings("resume-revision=after-header")},
}

// The releases that are known. 3.3.14 brought RequestProgress: an API server that calls it
// cannot be built with an earlier one.
var first, last = release.Must("3.3.14"), release.Must("3.7.0")

// OfServer is the release of clientv3 that goes with a release of the server: its own, or
// the first one that is known.
func OfServer(version string) string {
	if v, err := release.Parse(version); err == nil && v.Before(first) {
		return first.String()
	}
	return version
}

// Release is a release of clientv3 from 3.3.14 to 3.7.x as a preset, "3.4.30" or
// "v3.5.7". It returns an error for anything else.
func Release(version string) (option.Preset, error) {
	v, err := release.Parse(version)
	if err != nil {
		return option.Preset{}, fmt.Errorf("clientv3: %w", err)
	}
	if v.Before(first) || last.Before(v) && !last.SameBranch(v) {
		return option.Preset{}, fmt.Errorf("clientv3: unknown version %q: %s to %s.x are known", version, first, last.Branch())
	}
	p := option.Preset{Name: "clientv3 " + v.String(), Settings: oldest}
	for _, c := range changes {
		if c.since.Includes(v) {
			p.Settings = append(p.Settings[:len(p.Settings):len(p.Settings)], c.settings...)
		}
	}
	return p, nil
}
