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
