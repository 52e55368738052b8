package sim

import "slices"

// Parts are a world in parts, of which equal worlds have equal ones: to take a world apart, and to put it together
// again (Assemble). The step at which something became possible, and what was counted, are in none of them.
type Parts struct {
	Rest  *RestPart
	Ticks int64
	Now   Time
	// Nodes are those from node 1 on, Conns the connections from number 1 on.
	Nodes []*NodePart
	Conns []*ConnPart
	// Clone clones a node that other worlds have as well.
	Clone func(Node) Node
}

// RestPart is what belongs to no node and no connection, without the clock.
type RestPart struct {
	Phase  Phase
	Faults []FaultPart
	// Digest is what Behaviour has of it, as that of the other parts.
	Digest Digest
}

// FaultPart is a fault that is planned so often still.
type FaultPart struct {
	left          int
	Ready, stands bool
	due           Time
}

// NodePart is a node with its loops that are enabled and its timers that are armed, in the order of their numbers.
type NodePart struct {
	Node          Node
	Loops, Timers []Pending
	Digest        Digest
	// Conns are the connections that the digest leaves out (Connected).
	Conns     []Conn
	behaviour Digest
}

// Pending is a loop or a timer that can happen, and when.
type Pending struct {
	Number int32
	Due    Time
}

// ConnPart is a connection with what is under way on it. One that has ended has its number only.
type ConnPart struct {
	Link
	lanes [2]lane
	// Ready is the lanes from which a message can be delivered.
	Ready  [2]bool
	Digest Digest
}

// Receiver is the node that a lane leads to: the first leads to the acceptor.
func (c *ConnPart) Receiver(lane int) NodeID { return [2]NodeID{c.Acceptor, c.Opener}[lane] }

// Due is when the first message of a lane arrives.
func (c *ConnPart) Due(lane int) Time { return c.lanes[lane].queue[0].due }

// Ticks is the counter behind Env.Tick.
func (w *World) Ticks() int64 { return w.ticks }

// RestPart is what belongs to no node and no connection.
func (w *World) RestPart() RestPart {
	r := RestPart{Phase: w.phase, Digest: w.restDigest()}
	for i := range w.faults {
		f := &w.faults[i]
		part := FaultPart{left: f.left, Ready: w.isReady(f.slot), stands: slices.Contains(w.partitions, partitionOf(f.fault))}
		if part.Ready {
			part.due = w.slots[f.slot].due
		}
		r.Faults = append(r.Faults, part)
	}
	return r
}

// NodePart is a node with its loops and timers. The error is that of Behaviour.
func (w *World) NodePart(n NodeID) (NodePart, error) {
	rec := &w.nodes[n]
	err := rec.describe()
	return NodePart{
		Node: rec.node, Loops: w.pending(rec.tasks), Timers: w.pending(rec.timers),
		Digest: w.nodeDigest(rec, rec.behaviour), Conns: rec.conns, behaviour: rec.behaviour,
	}, err
}

func (w *World) pending(table []int32) (list []Pending) {
	for i, slot := range table {
		if w.isReady(slot) {
			list = append(list, Pending{int32(i), w.slots[slot].due})
		}
	}
	return list
}

// ConnPart is a connection with what is under way on it.
func (w *World) ConnPart(i int) ConnPart {
	c := ConnPart{Link: w.conns[i]}
	if c.IsFree() {
		c.Link = Link{ID: c.ID}
		return c
	}
	c.Digest = w.connDigest(i)
	for j := range c.lanes {
		l := w.lanes[2*i+j]
		c.Ready[j] = w.isReady(l.slot)
		c.lanes[j] = l.into(nil)
		c.lanes[j].slot = 0
	}
	return c
}

// Assemble puts parts together into a world that has the same faults, such as a fork of the one of which they are. It
// numbers what can happen in this order: of each node the loops that are enabled and the timers that are armed, the
// lanes, the faults.
func (w *World) Assemble(p *Parts) {
	w.phase, w.ticks, w.now, w.step, w.firstFree, w.crashing, w.clone = p.Rest.Phase, p.Ticks, p.Now, 0, 1, nil, p.Clone
	w.slots, w.ready, w.follows, w.enabled = w.slots[:1], append(w.ready[:0], 0), false, w.enabled[:0]
	for i, part := range p.Nodes {
		rec := &w.nodes[i+1]
		rec.node, rec.behaviour, rec.conns, rec.shared = part.Node, part.behaviour, part.Conns, true
		rec.tasks = w.pend(rec.tasks, Run, NodeID(i+1), part.Loops)
		rec.timers = w.pend(rec.timers, Fire, NodeID(i+1), part.Timers)
	}
	w.conns, w.lanes = w.conns[:1], resized(w.lanes, 2*len(p.Conns)+2)
	for i, part := range p.Conns {
		w.conns = append(w.conns, part.Link)
		for j := range part.lanes {
			n := 2*i + 2 + j
			w.lanes[n] = part.lanes[j].into(w.lanes[n].queue)
			w.lanes[n].slot = w.newSlot(Deliver, part.Receiver(j), int32(n))
			if part.Ready[j] {
				w.makeReady(w.lanes[n].slot, part.Due(j))
			}
		}
	}
	w.partitions = w.partitions[:0]
	for i, part := range p.Rest.Faults {
		f := &w.faults[i]
		f.left, f.slot = part.left, w.newSlot(Inject, 0, int32(i))
		if part.Ready {
			w.makeReady(f.slot, part.due)
		}
		if part.stands {
			w.partitions = append(w.partitions, partitionOf(f.fault))
		}
	}
}

// pend makes loops or timers of a node pending, and returns their table in the memory of another one.
func (w *World) pend(table []int32, k Kind, n NodeID, list []Pending) []int32 {
	table = table[:0]
	for _, x := range list {
		for len(table) <= int(x.Number) {
			table = append(table, 0)
		}
		table[x.Number] = w.newSlot(k, n, x.Number)
		w.makeReady(table[x.Number], x.Due)
	}
	return table
}
