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
		n := &c.nodes[i]
		n.tasks, n.timers = slices.Clone(n.tasks), slices.Clone(n.timers)
		n.shared, n.sharedTables = true, false
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
		w.nodes[i].shared, w.nodes[i].sharedTables = true, true
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

// copyTo copies everything but what nodes are.
func (w *World) copyTo(c *World) {
	before := *c
	*c = *w
	c.nodes = append(before.nodes[:0], w.nodes...)
	c.conns = append(before.conns[:0], w.conns...)
	c.lanes = copyLanes(before.lanes, w.lanes)
	c.faults = append(before.faults[:0], w.faults...)
	c.partitions = append(before.partitions[:0], w.partitions...)
	c.causes = append(before.causes[:0], w.causes...)
	c.slots = append(before.slots[:0], w.slots...)
	c.ready = append(before.ready[:0], w.ready...)
	c.counts = append(before.counts[:0], w.counts...)
	if w.recordsMetrics() {
		c.metrics = slices.Clone(w.metrics)
		for i := range c.metrics {
			c.metrics[i] = w.metrics[i].Clone()
		}
	}
	c.enabled, c.follows, c.footprint = before.enabled[:0], false, nil
	c.env.w = c
}

// copyLanes copies lanes into the memory of others.
func copyLanes(into, lanes []lane) []lane {
	into = into[:cap(into)]
	if len(into) < len(lanes) {
		into = append(into, make([]lane, len(lanes)-len(into))...)
	}
	for i := range lanes {
		queue := append(into[i].queue[:0], lanes[i].queue...)
		into[i] = lanes[i]
		into[i].queue = queue
	}
	return into[:len(lanes)]
}

// own returns a node that is about to change: this world's alone from now on.
func (w *World) own(id NodeID) Node {
	n := &w.nodes[id]
	n.behaviour, n.conns, n.numbered = Digest{}, nil, 0
	if n.shared {
		n.node, n.shared = w.cloneOf(n.node), false
	}
	return n.node
}

// cloneOf is a clone of a node that other worlds share.
func (w *World) cloneOf(n Node) Node {
	if w.cloning != nil {
		w.cloning.Lock()
		defer w.cloning.Unlock()
	}
	return n.(Cloner).Clone()
}

// Fingerprint hashes the state: nodes, what is under way, what is armed. Step
// and message counters are left out. The clock is in it when timed: nodes keep readings of it, so that
// the same at another time is another state. It returns an error that names the first node that has no
// fingerprint.
func (w *World) Fingerprint() (uint64, error) {
	d, err := w.fingerprint(func(n *nodeRecord, f Fingerprinter) Digest { return f.Fingerprint(NewDigest) })
	return d.Sum(), err
}

// Behaviour is the fingerprint without what nodes only record (Recorder): in two worlds
// of which it is equal the same happens from here on, up to collisions, whatever judges
// think of it. What it is of a node is kept until the node acts.
func (w *World) Behaviour() (Digest, error) {
	return w.fingerprint(behaviourOf)
}

func (w *World) fingerprint(of func(*nodeRecord, Fingerprinter) Digest) (Digest, error) {
	d := w.clockDigest()
	for i := 1; i < len(w.nodes); i++ {
		contents, err := w.nodeDigest(i, of)
		if err != nil {
			return Digest{}, err
		}
		d = d.Fold(contents)
	}
	// Calls reuse connection numbers in an order that depends on the past, so
	// the connections are summed up, not listed.
	var sum Digest
	places := w.placesOfConns()
	for i := 1; i < len(w.conns); i++ {
		if k := &w.conns[i]; k.state != connFree {
			sum = sum.And(linkDigest(w.connDigest(i).Fold(places[i]), k.opener, k.acceptor))
		}
	}
	return d.Fold(sum), nil
}

// placesOfConns has, by index, where the ends of each connection hold it. The nodes are described.
func (w *World) placesOfConns() []Digest {
	places := make([]Digest, len(w.conns))
	for i := 1; i < len(w.nodes); i++ {
		addPlaces(places, NodeID(i), w.nodes[i].conns, func(i int) *conn { return &w.conns[i] })
	}
	return places
}

// addPlaces adds to places where a node holds connections.
func addPlaces(places []Digest, n NodeID, held *[]Conn, at func(index int) *conn) {
	if held == nil {
		return
	}
	for place, c := range *held {
		i := c.index()
		if i == 0 || i >= len(places) {
			continue
		}
		if k := at(i); k.id == c && k.state != connFree {
			places[i] = places[i].And(NewDigest.Word(uint64(place)<<1 | uint64(number(n == k.opener))))
		}
	}
}

// linkDigest is of a connection between two nodes. Contents have where the ends hold it.
func linkDigest(contents Digest, opener, acceptor NodeID) Digest {
	return contents.Word(uint64(opener)<<16 | uint64(acceptor))
}

// describe takes down what Behaviour says of a node.
func (n *nodeRecord) describe(f Fingerprinter) {
	if r, records := f.(Recorder); records {
		n.behaviour = r.Behaviour(NewDigest)
	} else {
		n.behaviour = f.Fingerprint(NewDigest)
	}
	n.conns = nil
	if c, ok := f.(Connected); ok {
		var held []Conn
		c.Conns(func(c Conn) { held = append(held, c) })
		n.conns = &held
	}
}

// clockDigest is of what belongs to no node and no connection, with the clock.
func (w *World) clockDigest() Digest {
	d := w.restDigest()
	if w.mode == Timed {
		d = d.Int(int64(w.now))
	}
	return d
}

// restDigest is the same without the clock.
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
func (w *World) nodeDigest(i int, of func(*nodeRecord, Fingerprinter) Digest) (Digest, error) {
	n := &w.nodes[i]
	f, ok := n.node.(Fingerprinter)
	if !ok {
		return Digest{}, NoFingerprint{n.name}
	}
	if n.behaviour == (Digest{}) {
		n.describe(f)
	}
	// Loop 1 and timer 1 are not the same.
	d := w.pendingDigest(NewDigest.Fold(of(n, f)), n.tasks).Bool(true)
	return w.pendingDigest(d, n.timers), nil
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
		if s == 0 || !w.isReady(s) {
			continue
		}
		d = d.Int(int64(i))
		if w.mode == Timed {
			d = d.Int(int64(w.slots[s].due))
		}
	}
	return d
}
