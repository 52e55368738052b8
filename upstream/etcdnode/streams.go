package etcdnode

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/v3rpc"
	"github.com/watchbed/watchbed/sim/wire"

	"github.com/watchbed/watchbed/upstream/protocol"
)

// index is the place of a stream, -1 if there is none.
func (n *Node) index(c sim.Conn) int {
	return slices.IndexFunc(n.streams, func(s stream) bool { return s.conn == c })
}

// opened knows the stream of a message. The first one opens it, which the server may refuse; it reports whether the
// stream is there.
func (n *Node) opened(env *sim.Env, m *sim.Message) bool {
	if n.index(m.Conn) >= 0 {
		return true
	}
	if n.server.RefusesStream(env, m) {
		return false
	}
	n.streams = append(n.streams, stream{m.Conn, m.From, v3rpc.RequiresLeader(m.Payload)})
	if window := n.cfg.Watch.SendWindow; window > 0 {
		env.Bound(m.Conn, window)
	}
	return true
}

// closed forgets a stream. It reports whether there was one.
func (n *Node) closed(c sim.Conn) bool {
	i := n.index(c)
	if i >= 0 {
		n.streams = slices.Delete(n.streams, i, i+1)
	}
	return i >= 0
}

// Drained implements sim.Drained.
func (n *Node) Drained(env *sim.Env, c sim.Conn) {
	if n.index(c) < 0 {
		n.server.Drained(env, c)
		return
	}
	n.hand(env, n.out.Begin(protocol.Drained, uint32(c)).Bytes)
}

// Serves implements etcd.Served.
func (n *Node) Serves(client sim.NodeID) bool {
	return slices.ContainsFunc(n.streams, func(s stream) bool { return s.from == client })
}

// End implements etcd.Served. What ends a stream in gRPC ends the context of its handler.
func (n *Node) End(env *sim.Env, err *wire.Error, ends func(client sim.NodeID, requiresLeader bool) bool) {
	for _, s := range slices.Clone(n.streams) {
		if !ends(s.from, s.requiresLeader) {
			continue
		}
		if err != nil {
			env.Send(s.conn, err)
		}
		env.Close(s.conn)
		n.closed(s.conn)
		n.hand(env, n.out.Begin(protocol.Hangup, uint32(s.conn)).Bytes)
	}
}

// Resume implements etcd.Served.
func (n *Node) Resume(env *sim.Env) {
	for _, s := range slices.Clone(n.streams) {
		n.hand(env, n.out.Begin(protocol.Drained, uint32(s.conn)).Bytes)
	}
}

// Restored implements etcd.Served. A restart has a store of its own, to which a snapshot makes no difference.
func (n *Node) Restored(env *sim.Env) { n.hand(env, n.out.Begin(protocol.Restore, 0).Bytes) }
