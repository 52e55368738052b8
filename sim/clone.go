package sim

import (
	"fmt"
	"slices"
)

// Clone returns a copy of the world that goes its own way, with nodes of its own, or an error
// that names the first node that cannot be cloned.
func (w *World) Clone() (*World, error) {
	if err := w.clonable(); err != nil {
		return nil, err
	}
	c := &World{}
	w.copyTo(c)
	for i := 1; i < len(c.nodes); i++ {
		c.nodes[i].shared = true
		c.own(NodeID(i))
	}
	return c, nil
}

// Fork is Clone into the memory of a world that is not needed any more. The two worlds share
// each node until it acts in one of them, since most steps change one node: after a step the
// node of either may be another object, so ask for it anew (Node). They are for one goroutine.
func (w *World) Fork(c *World) error {
	if err := w.clonable(); err != nil {
		return err
	}
	for i := 1; i < len(w.nodes); i++ {
		w.nodes[i].shared = true
	}
	w.copyTo(c)
	return nil
}

func (w *World) clonable() error {
	for i := 1; i < len(w.nodes); i++ {
		n := &w.nodes[i]
		if _, ok := n.node.(Cloner); !ok {
			return fmt.Errorf("node %s cannot be cloned", n.name)
		}
	}
	return nil
}

// copyTo copies everything but what nodes are, into the memory of another world.
func (w *World) copyTo(c *World) {
	before := *c
	*c = *w
	c.nodes = resized(before.nodes, len(w.nodes))
	for i := range w.nodes {
		n, tasks, timers := &c.nodes[i], c.nodes[i].tasks, c.nodes[i].timers
		*n = w.nodes[i]
		n.tasks, n.timers = append(tasks[:0], n.tasks...), append(timers[:0], n.timers...)
	}
	c.lanes = resized(before.lanes, len(w.lanes))
	for i := range w.lanes {
		c.lanes[i] = w.lanes[i].into(c.lanes[i].queue)
	}
	c.conns = append(before.conns[:0], w.conns...)
	c.faults = append(before.faults[:0], w.faults...)
	c.partitions = append(before.partitions[:0], w.partitions...)
	c.causes = append(before.causes[:0], w.causes...)
	c.slots = append(before.slots[:0], w.slots...)
	c.ready = append(before.ready[:0], w.ready...)
	if !w.nameless {
		c.counts = append(before.counts[:0], w.counts...)
	}
	if w.recordsMetrics() {
		c.metrics = slices.Clone(w.metrics)
		for i := range c.metrics {
			c.metrics[i] = w.metrics[i].Clone()
		}
	}
	c.enabled, c.follows, c.footprint = before.enabled[:0], false, nil
	c.env.w = c
}

// resized is a list of so many, with the memory that those before it had.
func resized[T any](list []T, n int) []T {
	list = list[:cap(list)]
	return append(list, make([]T, max(n-len(list), 0))...)[:n]
}

// into is the lane with its queue in other memory.
func (l lane) into(queue []Message) lane {
	l.queue, l.head = append(queue[:0], l.queue[l.head:]...), 0
	return l
}

// own returns a node that is about to change: this world's alone from now on.
func (w *World) own(id NodeID) Node {
	n := &w.nodes[id]
	n.behaviour, n.conns = Digest{}, nil
	if n.shared {
		n.shared = false
		if w.clone != nil {
			n.node = w.clone(n.node)
		} else {
			n.node = n.node.(Cloner).Clone()
		}
	}
	return n.node
}

// Fingerprint hashes the state: nodes, what is under way, what is armed. Step
// and message counters are left out. The clock is in it when timed: nodes keep readings of it, so that
// the same at another time is another state. It returns an error that names the first node that has no
// fingerprint.
func (w *World) Fingerprint() (uint64, error) {
	d, err := w.digest(func(n *nodeRecord) Digest { return n.node.(Fingerprinter).Fingerprint(NewDigest) })
	return d.Sum(), err
}

// Behaviour is the fingerprint without what nodes only record (Recorder): in two worlds
// of which it is equal the same happens from here on, up to collisions, whatever judges
// think of it. What it is of a node is kept until the node acts.
func (w *World) Behaviour() (Digest, error) {
	return w.digest(func(n *nodeRecord) Digest { return n.behaviour })
}

func (w *World) digest(of func(*nodeRecord) Digest) (Digest, error) {
	d := w.restDigest()
	if w.mode == Timed {
		d = d.Int(int64(w.now))
	}
	holders, link := make([]Digest, len(w.conns)), func(i int) *Link { return &w.conns[i] }
	for i := 1; i < len(w.nodes); i++ {
		n := &w.nodes[i]
		if err := n.describe(); err != nil {
			return Digest{}, err
		}
		d = d.Fold(w.nodeDigest(n, of(n)))
		AddHolders(holders, NodeID(i), n.conns, link)
	}
	// Calls reuse connection numbers in an order that depends on the past, so
	// the connections are summed up, not listed.
	var sum Digest
	for i := 1; i < len(w.conns); i++ {
		if k := &w.conns[i]; !k.IsFree() {
			sum = sum.And(k.Digest(w.connDigest(i), holders[i]))
		}
	}
	return d.Fold(sum), nil
}

// AddHolders adds to a list, by the number of a connection, where a node holds it.
func AddHolders(holders []Digest, n NodeID, held []Conn, link func(number int) *Link) {
	for place, c := range held {
		i := c.index()
		if i == 0 || i >= len(holders) {
			continue
		}
		if k := link(i); k.ID == c && !k.IsFree() {
			end := uint64(0)
			if n == k.Opener {
				end = 1
			}
			holders[i] = holders[i].And(NewDigest.Word(uint64(place)<<1 | end))
		}
	}
}

// Digest is of the connection, with what is under way on it and where its ends hold it.
func (k *Link) Digest(contents, holders Digest) Digest {
	return contents.Fold(holders).Word(uint64(k.Opener)<<16 | uint64(k.Acceptor))
}

// describe takes down what Behaviour says of a node, if that is not known.
func (n *nodeRecord) describe() error {
	f, ok := n.node.(Fingerprinter)
	switch {
	case !ok:
		return NoFingerprint{n.name}
	case n.behaviour != (Digest{}):
		return nil
	}
	if r, records := f.(Recorder); records {
		n.behaviour = r.Behaviour(NewDigest)
	} else {
		n.behaviour = f.Fingerprint(NewDigest)
	}
	if c, ok := f.(Connected); ok {
		n.conns = nil
		c.Conns(func(c Conn) { n.conns = append(n.conns, c) })
	}
	return nil
}

// restDigest is of what belongs to no node and no connection, without the clock.
func (w *World) restDigest() Digest {
	d := NewDigest.Word(uint64(w.phase))
	for i := range w.faults {
		f := &w.faults[i]
		d = d.Int(int64(f.left))
		if w.mode == Timed && w.isReady(f.slot) {
			d = d.Int(int64(w.slots[f.slot].due))
		}
	}
	return d
}

// NoFingerprint is the error of a world whose states cannot be told apart, because of this node.
type NoFingerprint struct{ Node string }

func (e NoFingerprint) Error() string { return "node " + e.Node + " has no fingerprint" }

// nodeDigest is of a node, its loops and its timers.
func (w *World) nodeDigest(n *nodeRecord, of Digest) Digest {
	// Loop 1 and timer 1 are not the same.
	return w.pendingDigest(w.pendingDigest(NewDigest.Fold(of), n.tasks).Bool(true), n.timers)
}

// connDigest is of what is under way on a connection. It leaves out the ends.
func (w *World) connDigest(i int) Digest {
	k := &w.conns[i]
	d := NewDigest.Word(uint64(k.kind)<<8 | uint64(k.state))
	for n := 2 * i; n < 2*i+2; n++ {
		l := &w.lanes[n]
		d = d.Bool(l.held).Bool(l.deaf).Int(int64(l.len()))
		if l.cut {
			d = d.Text("cut")
		}
		for j := l.head; j < len(l.queue); j++ {
			m := &l.queue[j]
			d = m.Payload.Digest(d)
			if w.mode == Timed {
				d = d.Int(int64(m.due))
			}
		}
	}
	return d
}

func (w *World) pendingDigest(d Digest, slots []int32) Digest {
	for i, s := range slots {
		if !w.isReady(s) {
			continue
		}
		d = d.Int(int64(i))
		if w.mode == Timed {
			d = d.Int(int64(w.slots[s].due))
		}
	}
	return d
}

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
