package node

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/cache/check"

	"github.com/watchbed/watchbed/upstream/guests"
	"github.com/watchbed/watchbed/upstream/protocol"
)

// Node is a guest in a world. It implements sim.Node and what the test bed asks of a cache.
type Node struct {
	cfg   cache.Config
	guest Guest
	// how the guest's goroutines are scheduled.
	how guests.Schedule

	// clock is that of the guest, in nanoseconds. until is when its next timer is due, 0 if it
	// has none.
	clock, until int64
	shown        shown
	// calls, ranges and streams are the connections that the guest has opened, opened is how many
	// streams it has.
	calls   []connection
	ranges  []connection
	streams []stream
	opened  int
	seen    seen

	// detections are the comparisons with etcd since the run began. before is how many of them earlier processes began.
	detections []check.Detection
	before     int

	// waits: goroutines can run, and do so in a later step.
	waits bool

	// The rest is that of the step under way.
	Step
	Pause
	out protocol.Writer
}

// connection is one that the guest has opened: its number there and in the world.
type connection struct {
	number uint32
	conn   sim.Conn
	// asks is what a call, or a stream of Ranges, was begun with, refused where nothing listened.
	asks    sim.Payload
	refused int
}

// stream is a connection of which the first message says whether it requires a leader.
type stream struct {
	connection
	requireLeader, used bool
}

var (
	_ sim.Node          = (*Node)(nil)
	_ sim.Restarter     = (*Node)(nil)
	_ sim.Cloner        = (*Node)(nil)
	_ cache.Resetter    = (*Node)(nil)
	_ cache.Readiness   = (*Node)(nil)
	_ cache.Mirror      = (*Node)(nil)
	_ cache.Remembering = (*Node)(nil)
	_ cache.Compacting  = (*Node)(nil)
	_ cache.Trusting    = (*Node)(nil)
	_ cache.Detecting   = (*Node)(nil)
	_ cache.Hiding      = (*Node)(nil)
)

// New returns a node that has not started yet.
func New(cfg cache.Config, g Guest, how guests.Schedule) *Node {
	return &Node{cfg: cfg, guest: g, how: how, seen: seen{}}
}

// Reset makes the node a new one for another run.
func (n *Node) Reset(cfg cache.Config) {
	n.cfg, n.detections = cfg, n.detections[:0]
	n.forget()
}

func (n *Node) forget() {
	n.guest.Reset()
	*n = Node{
		cfg: n.cfg, guest: n.guest, how: n.how, calls: n.calls[:0], ranges: n.ranges[:0], streams: n.streams[:0], seen: seen{}, out: n.out,
		detections: n.detections, before: len(n.detections),
	}
}

// Clone implements sim.Cloner.
func (n *Node) Clone() sim.Node {
	c := *n
	c.guest = n.guest.Clone()
	c.detections = slices.Clone(n.detections)
	c.calls, c.ranges, c.streams = slices.Clone(n.calls), slices.Clone(n.ranges), slices.Clone(n.streams)
	c.seen, c.Step, c.out = n.seen.clone(), Step{}, protocol.Writer{}
	c.Pause = Pause{}
	return &c
}
