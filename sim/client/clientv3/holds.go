package clientv3

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
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

// Notices implements sim.Keepalive.
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
