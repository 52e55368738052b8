package sim

import (
	"fmt"
	"slices"
)

// Clone returns a copy of the world that goes its own way, or an error that
// names the first node that cannot be cloned.
func (w *World) Clone() (*World, error) {
	c := *w
	c.nodes = slices.Clone(w.nodes)
	for i := 1; i < len(c.nodes); i++ {
		n := &c.nodes[i]
		cl, ok := n.node.(Cloner)
		if !ok {
			return nil, fmt.Errorf("node %s cannot be cloned", n.name)
		}
		n.node = cl.Clone()
		n.drained, _ = n.node.(Drained)
		n.tasks = slices.Clone(n.tasks)
		n.timers = slices.Clone(n.timers)
	}
	c.conns = slices.Clone(w.conns)
	c.lanes = slices.Clone(w.lanes)
	for i := range c.lanes {
		c.lanes[i].queue = slices.Clone(c.lanes[i].queue)
	}
	c.faults = slices.Clone(w.faults)
	c.partitions = slices.Clone(w.partitions)
	c.causes = slices.Clone(w.causes)
	c.slots = slices.Clone(w.slots)
	c.ready = slices.Clone(w.ready)
	c.counts = slices.Clone(w.counts)
	if w.mode == Timed {
		// An untimed world records no metrics.
		c.metrics = slices.Clone(w.metrics)
		for i := range c.metrics {
			c.metrics[i] = w.metrics[i].Clone()
		}
	}
	c.enabled, c.follows, c.footprint = nil, false, nil
	c.env.w = &c
	return &c, nil
}

// Fingerprint hashes the state: nodes, what is under way, what is armed. Step
// and message counters are left out, and the clock too when untimed. It
// returns an error that names the first node that has no fingerprint.
func (w *World) Fingerprint() (uint64, error) { return w.fingerprint(Fingerprinter.Fingerprint) }

// Behaviour is the fingerprint without what nodes only record (Recorder): in two worlds
// of which it is equal the same happens from here on, up to collisions, whatever judges
// think of it.
func (w *World) Behaviour() (uint64, error) {
	return w.fingerprint(func(f Fingerprinter, d Digest) Digest {
		if r, records := f.(Recorder); records {
			return r.Behaviour(d)
		}
		return f.Fingerprint(d)
	})
}

func (w *World) fingerprint(of func(Fingerprinter, Digest) Digest) (uint64, error) {
	d := NewDigest.Word(uint64(w.phase))
	for i := 1; i < len(w.nodes); i++ {
		n := &w.nodes[i]
		f, ok := n.node.(Fingerprinter)
		if !ok {
			return 0, fmt.Errorf("node %s has no fingerprint", n.name)
		}
		d = of(f, d)
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
				e = m.Payload.Digest(e).Word(uint64(w.causes[m.Cause].node))
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
