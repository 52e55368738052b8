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
	n.behaviour, n.peers, n.numbered = Digest{}, nil, 0
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
		contents, peers, err := w.nodeDigest(i, of)
		if err != nil {
			return Digest{}, err
		}
		d = d.Fold(contents)
		for _, n := range peers {
			d = d.Word(uint64(n))
		}
	}
	// Calls reuse connection numbers in an order that depends on the past, so
	// the connections are summed up, not listed.
	var sum Digest
	for i := 1; i < len(w.conns); i++ {
		k := &w.conns[i]
		if k.state == connFree {
			continue
		}
		sum = sum.And(w.wholeConnDigest(i))
	}
	return d.Fold(sum), nil
}

// describe takes down what Behaviour says of a node.
func (n *nodeRecord) describe(f Fingerprinter) {
	if r, records := f.(Recorder); records {
		n.behaviour = r.Behaviour(NewDigest)
	} else {
		n.behaviour = f.Fingerprint(NewDigest)
	}
	n.peers = nil
	if p, ok := f.(Peered); ok {
		p.Peers(func(peer NodeID) {
			if n.peers == nil {
				n.peers = new([]NodeID)
			}
			*n.peers = append(*n.peers, peer)
		})
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

// nodeDigest is of a node, its loops and its timers. It leaves out the peers.
func (w *World) nodeDigest(i int, of func(*nodeRecord, Fingerprinter) Digest) (Digest, []NodeID, error) {
	n := &w.nodes[i]
	f, ok := n.node.(Fingerprinter)
	if !ok {
		return Digest{}, nil, NoFingerprint{n.name}
	}
	if n.behaviour == (Digest{}) {
		n.describe(f)
	}
	// Loop 1 and timer 1 are not the same.
	d := w.pendingDigest(NewDigest.Fold(of(n, f)), n.tasks).Bool(true)
	d = w.pendingDigest(d, n.timers)
	if n.peers == nil {
		return d, nil, nil
	}
	return d, *n.peers, nil
}

// connDigest is of what is under way on a connection. It leaves out the ends, and who began what led
// to the messages.
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

// wholeConnDigest is connDigest with what that leaves out.
func (w *World) wholeConnDigest(i int) Digest {
	k := &w.conns[i]
	d := w.connDigest(i).Word(uint64(k.opener)<<16 | uint64(k.acceptor))
	w.eachUnderWay(i, func(m *Message) { d = d.Word(uint64(w.nodeOf(m.Cause))) })
	return d
}

// eachUnderWay visits the messages on a connection. Two calls between the same nodes may have the
// same text but different causes. Swapping their answers makes another state.
func (w *World) eachUnderWay(i int, visit func(m *Message)) {
	for n := 2 * i; n < 2*i+2; n++ {
		l := &w.lanes[n]
		for j := l.head; j < len(l.queue); j++ {
			visit(&l.queue[j])
		}
	}
}

// Sketch is what a fingerprint is made of, with the nodes that the state names apart. It says
// what the fingerprint is of the same state in which nodes go by other names.
type Sketch struct {
	rest  Digest
	nodes []sketched
	links []link
	// named are the nodes that the state of other nodes and the messages under way name, in order.
	named []NodeID
}

// sketched is a node: what it is, and where those stand that it names.
type sketched struct {
	contents    Digest
	first, last int
}

// link is a connection: what is under way on it, its ends, and where those stand that began what
// led to the messages.
type link struct {
	contents         Digest
	opener, acceptor NodeID
	first, last      int
}

// Renaming gives nodes other names: Name has that of each node, Node the node of each name.
type Renaming struct{ Name, Node []NodeID }

// Sketch takes down what Behaviour is made of.
func (w *World) Sketch(s *Sketch) error {
	s.rest = w.clockDigest()
	s.nodes, s.links, s.named = append(s.nodes[:0], sketched{}), s.links[:0], s.named[:0]
	for i := 1; i < len(w.nodes); i++ {
		d, peers, err := w.nodeDigest(i, behaviourOf)
		if err != nil {
			return err
		}
		first := len(s.named)
		s.named = append(s.named, peers...)
		s.nodes = append(s.nodes, sketched{d, first, len(s.named)})
	}
	for i := 1; i < len(w.conns); i++ {
		k := &w.conns[i]
		if k.state == connFree {
			continue
		}
		first := len(s.named)
		w.eachUnderWay(i, func(m *Message) { s.named = append(s.named, w.nodeOf(m.Cause)) })
		s.links = append(s.links, link{w.connDigest(i), k.opener, k.acceptor, first, len(s.named)})
	}
	return nil
}

// Digest is the fingerprint if nodes go by these names.
func (s *Sketch) Digest(r *Renaming) Digest {
	d := s.rest
	for name := 1; name < len(s.nodes); name++ {
		n := &s.nodes[r.Node[name]]
		d = s.names(d.Fold(n.contents), r, n.first, n.last)
	}
	var sum Digest
	for i := range s.links {
		l := &s.links[i]
		e := l.contents.Word(uint64(r.Name[l.opener])<<16 | uint64(r.Name[l.acceptor]))
		sum = sum.And(s.names(e, r, l.first, l.last))
	}
	return d.Fold(sum)
}

// Sign is a digest of what one of several nodes is, and of where the others and the connections
// name it; named is whether they do. It stays the same if the several go by each other's names.
func (s *Sketch) Sign(n NodeID, isOne func(NodeID) bool) (sign Digest, named bool) {
	sign = s.nodes[n].contents
	for i := range s.nodes {
		x := &s.nodes[i]
		for at, other := range s.named[x.first:x.last] {
			if other == n && !isOne(NodeID(i)) {
				sign, named = sign.Word(uint64(i)<<32|uint64(at)), true
			}
		}
	}
	var sum Digest
	for i := range s.links {
		l := &s.links[i]
		e, here := l.contents, false
		for _, end := range [2][2]NodeID{{l.opener, l.acceptor}, {l.acceptor, l.opener}} {
			here = here || end[0] == n
			if end[0] == n && !isOne(end[1]) {
				e = e.Word(uint64(end[1]))
			}
		}
		for at, other := range s.named[l.first:l.last] {
			if other == n {
				e, here = e.Int(int64(at)), true
			}
		}
		if here {
			sum, named = sum.And(e), true
		}
	}
	return sign.Fold(sum), named
}

func (s *Sketch) names(d Digest, r *Renaming, first, last int) Digest {
	for _, n := range s.named[first:last] {
		d = d.Word(uint64(r.Name[n]))
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
