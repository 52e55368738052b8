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
	if w.mode == Timed {
		// An untimed world records no metrics.
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
	n.behaviour = 0
	if n.shared {
		n.node, n.shared = n.node.(Cloner).Clone(), false
	}
	return n.node
}

// Fingerprint hashes the state: nodes, what is under way, what is armed. Step
// and message counters are left out, and the clock too when untimed. It
// returns an error that names the first node that has no fingerprint.
func (w *World) Fingerprint() (uint64, error) {
	return w.fingerprint(func(n *nodeRecord, f Fingerprinter) Digest { return f.Fingerprint(NewDigest) })
}

// Behaviour is the fingerprint without what nodes only record (Recorder): in two worlds
// of which it is equal the same happens from here on, up to collisions, whatever judges
// think of it. What it is of a node is kept until the node acts.
func (w *World) Behaviour() (uint64, error) {
	return w.fingerprint(func(n *nodeRecord, f Fingerprinter) Digest {
		if n.behaviour == 0 {
			n.behaviour = behaviourOf(f)
		}
		return n.behaviour
	})
}

func behaviourOf(f Fingerprinter) Digest {
	if r, records := f.(Recorder); records {
		return r.Behaviour(NewDigest)
	}
	return f.Fingerprint(NewDigest)
}

func (w *World) fingerprint(of func(*nodeRecord, Fingerprinter) Digest) (uint64, error) {
	d := NewDigest.Word(uint64(w.phase))
	for i := 1; i < len(w.nodes); i++ {
		n := &w.nodes[i]
		f, ok := n.node.(Fingerprinter)
		if !ok {
			return 0, fmt.Errorf("node %s has no fingerprint", n.name)
		}
		d = d.Word(uint64(of(n, f)))
		d = w.pendingDigest(d, n.tasks)
		d = w.pendingDigest(d, n.timers)
	}
	for i := range w.faults {
		d = d.Int(int64(w.faults[i].left))
	}
	// Calls reuse connection numbers in an order that depends on the past, so
	// the connections are summed up, not listed.
	var sum uint64
	for i := 1; i < len(w.conns); i++ {
		k := &w.conns[i]
		if k.state == connFree {
			continue
		}
		e := NewDigest.Word(uint64(k.opener)<<32 | uint64(k.acceptor)<<16 | uint64(k.kind)<<8 | uint64(k.state))
		for _, l := range w.lanes[2*i : 2*i+2] {
			e = e.Bool(l.held).Bool(l.deaf).Int(int64(l.len()))
			if l.cut {
				e = e.Text("cut")
			}
			for _, m := range l.queue[l.head:] {
				// Two calls between the same nodes may have the same text but
				// different causes. Swapping their answers makes another state.
				e = m.Payload.Digest(e).Word(uint64(w.nodeOf(m.Cause)))
				if w.mode == Timed {
					e = e.Int(int64(m.due - w.now))
				}
			}
		}
		sum += uint64(e)
	}
	return uint64(d.Word(sum)), nil
}

func (w *World) pendingDigest(d Digest, slots []int32) Digest {
	for i, s := range slots {
		if s == 0 || !w.isReady(s) {
			continue
		}
		d = d.Int(int64(i))
		if w.mode == Timed {
			d = d.Int(int64(w.slots[s].due - w.now))
		}
	}
	return d
}
