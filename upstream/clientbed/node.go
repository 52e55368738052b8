package clientbed

import (
	"slices"

	"github.com/watchbed/watchbed/sim"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// Node is a process with a guest in it.
type Node struct {
	etcd  sim.NodeID
	guest *engine.Guest
	// locks: the guest's goroutines may give way where they take a lock.
	locks bool

	// clock is that of the guest, in nanoseconds. until is when its next timer is due, 0 if it
	// has none.
	clock, until int64
	// calls and watches are the connections that the guest has opened.
	calls, watches []connection

	// The rest is that of the step under way.
	node.Step
	out protocol.Writer
}

// connection is one that the guest has opened: its number there and in the world.
type connection struct {
	number uint32
	conn   sim.Conn
	// requireLeader is whether the first message of a stream of watches says so.
	requireLeader bool
}

var (
	_ sim.Node      = (*Node)(nil)
	_ sim.Restarter = (*Node)(nil)
	_ sim.Cloner    = (*Node)(nil)
)

// New returns a process that has not started yet. Its clients' etcd is the one at that node.
func New(etcd sim.NodeID, g *engine.Guest, locks bool) *Node {
	return &Node{etcd: etcd, guest: g, locks: locks}
}

// Reset makes the process a new one for another run.
func (n *Node) Reset() {
	n.guest.Reset()
	*n = Node{etcd: n.etcd, guest: n.guest, locks: n.locks, calls: n.calls[:0], watches: n.watches[:0], out: n.out}
}

// Clone implements sim.Cloner.
func (n *Node) Clone() sim.Node {
	c := *n
	c.guest = n.guest.Clone()
	c.calls, c.watches = slices.Clone(n.calls), slices.Clone(n.watches)
	c.Step, c.out = node.Step{}, protocol.Writer{}
	return &c
}

// at is the place of a connection, -1 if it is not there.
func at(list []connection, is func(connection) bool) int { return slices.IndexFunc(list, is) }

// inWorld and inGuest name a connection by its number there.
func inWorld(c sim.Conn) func(connection) bool {
	return func(k connection) bool { return k.conn == c }
}

func inGuest(number uint32) func(connection) bool {
	return func(k connection) bool { return k.number == number }
}
