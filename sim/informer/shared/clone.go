package shared

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Clone is a copy that shares nothing that changes.
func (s *Informer) Clone() *Informer {
	c := *s
	c.fifo, c.loop = s.fifo.clone(), s.loop.clone()
	c.blockDeltas, c.processor.lock = s.blockDeltas.clone(), s.processor.lock.clone()
	c.store = s.store.Clone()
	c.handlers = slices.Clone(s.handlers)
	for i, h := range s.handlers {
		c.handlers[i] = h.clone()
	}
	return &c
}

// Cells visits the parts of the state, as sim.Celled.
func (s *Informer) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	store := sim.NewDigest
	s.store.Ascend(func(kv *wire.KeyValue) bool {
		store = kv.Digest(store)
		return true
	})
	p := &s.processor
	visit(cellQueue, 0, s.fifo.digest())
	visit(cellLoop, 0, s.loop.digest().Bool(s.stopping))
	visit(cellBlocked, 0, s.blockDeltas.digest(sim.NewDigest))
	visit(cellStore, 0, store)
	visit(cellVersion, 0, sim.NewDigest.Int(s.version).Int(s.first))
	visit(cellSynced, 0, sim.NewDigest.Bool(s.synced))
	visit(cellProcessor, 0, p.lock.digest(sim.NewDigest.Bool(p.started).Bool(p.stopped)))
	visit(cellResync, 0, sim.NewDigest.Bool(s.resyncing).Bool(s.needed).Int(int64(s.checks)))
	visit(cellProgram, 0, s.program.digest())
	for i, h := range s.handlers {
		visit(cellHandler, i, h.digest())
	}
}
