package etcdnode

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd"
	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/engine"
	"github.com/watchbed/watchbed/upstream/node"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// Node is a server of etcd whose watches a guest serves.
type Node struct {
	server *etcd.Server
	cfg    etcd.Config
	guest  *engine.Guest
	// locks: the guest's goroutines may give way where they take a lock.
	locks bool

	// log are the messages about writes and compactions that the guest was given: the raft log.
	log [][]byte
	// disk is what the guest that is gone had on disk, kept how many entries of the log the guest which came after it
	// found there.
	disk []byte
	kept int
	// seen is how many commits of the server the guest knows, revision and compacted the last that it was told.
	seen                int
	revision, compacted int64
	streams             []stream
	// clock is that of the guest, in nanoseconds. until is when its next timer is due, 0 if it has none or needs none.
	clock, until int64
	// runnable are the goroutines of the guest that can run.
	runnable bool

	// held is what the guest had for its watches when it was last asked, noted what a note last said of that.
	held, noted held

	node.Step
	// lets is whether a goroutine may run in the step under way, yields whether it may give way at a lock, which what
	// takes a message never does: a write is applied in one step.
	lets, yields bool
	out          protocol.Writer
}

// stream is a connection on which a client watches.
type stream struct {
	conn           sim.Conn
	from           sim.NodeID
	requiresLeader bool
}

var (
	_ testbed.ProgramNode = (*Node)(nil)
	_ etcd.Served         = (*Node)(nil)
	_ sim.Restarter       = (*Node)(nil)
	_ sim.Cloner          = (*Node)(nil)
	_ sim.Drained         = (*Node)(nil)
	_ sim.Visible         = (*Node)(nil)
)

// New returns a node that has a server behind it.
func New(s *etcd.Server, g *engine.Guest, locks bool) *Node {
	n := &Node{server: s, guest: g, locks: locks}
	s.ServedBy(n)
	return n
}

// Simulated implements etcd.Node.
func (n *Node) Simulated() *etcd.Server { return n.server }

// Reset implements testbed.ProgramNode.
func (n *Node) Reset(cfg etcd.Config) {
	n.server.Reset(cfg)
	n.guest.Reset()
	*n = Node{server: n.server, cfg: cfg, guest: n.guest, locks: n.locks, streams: n.streams[:0], out: n.out}
}

// Clone implements sim.Cloner.
func (n *Node) Clone() sim.Node {
	c := *n
	c.server = n.server.Clone().(*etcd.Server)
	c.server.ServedBy(&c)
	c.guest = n.guest.Clone()
	c.log, c.streams = slices.Clip(n.log), slices.Clone(n.streams)
	c.Step, c.out = node.Step{}, protocol.Writer{}
	return &c
}
