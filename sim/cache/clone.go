package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/write"
)

// Clone implements sim.Cloner. Store and history are shared until one of the
// two changes.
func (c *Cache) Clone() sim.Node {
	d := *c
	d.store = c.store.Clone()
	d.guard = c.guard.Clone()
	d.ready = c.ready.Clone()
	c.reflector.CloneTo(&d.reflector, feed{&d})
	c.dispatcher.CloneTo(&d.dispatcher, d.dispatchParts())
	c.writes.CloneTo(&d.writes, d.writeParts())
	c.reads.CloneTo(&d.reads, d.readParts(), func(w read.Waiter) read.Waiter {
		if _, isWrite := w.(*write.Write); isWrite {
			return d.writes.Write(w.Number())
		}
		return d.dispatcher.Watcher(w.Number())
	})
	c.checks.CloneTo(&d.checks, &d.store)
	d.killer = c.killer.Clone()
	c.flow.CloneTo(&d.flow, execution{&d})
	return &d
}

// Fingerprint implements sim.Fingerprinter. The configuration is left out: throughout an
// exploration it is the same in each generation.
func (c *Cache) Fingerprint(d sim.Digest) sim.Digest {
	d = sim.FoldCells(d, c).Int(int64(c.generation))
	return c.dispatcher.Relate(c.reads.Relate(d))
}

func (c *Cache) Conns(visit func(sim.Conn)) {
	c.guard.Conns(visit)
	c.reflector.Conns(visit)
	c.requester.Conns(visit)
	c.reads.Conns(visit)
	c.writes.Conns(visit)
	c.dispatcher.Conns(visit)
	c.checks.Conns(visit)
}

func (c *Cache) Cells(visit sim.CellVisitor) {
	c.guard.Cells(visit)
	c.ready.Cells(visit)
	c.store.Cells(visit)
	c.reflector.Cells(visit)
	layout.Cells(&c.ingestion, visit)
	c.requester.Cells(visit)
	c.reads.Cells(visit)
	c.writes.Cells(visit)
	c.dispatcher.Cells(visit)
	c.checks.Cells(visit)
	c.flow.Cells(visit)
}

var _ sim.Visible = (*Cache)(nil)

func (c *Cache) Show(visit sim.PartVisitor) {
	c.store.Show(visit)
	c.dispatcher.Show(visit)
	c.reads.Show(visit)
}
