package informer

import (
	"slices"

	"github.com/google/btree"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Clone implements sim.Cloner. The stores are shared until one of the two
// changes.
func (r *Informer) Clone() sim.Node {
	c := *r
	c.pager.items = slices.Clone(r.pager.items)
	c.exchanges = slices.Clone(r.exchanges)
	c.store, c.temporary = r.store.Clone(), r.temporary.Clone()
	if r.shared != nil {
		c.shared = r.shared.Clone()
	}
	if r.controller != nil {
		c.controller = r.controller.Clone()
	}
	return &c
}

// Fingerprint implements sim.Fingerprinter. The configuration is left out: it
// is the same throughout an exploration. The record is part of it: properties
// depend on it.
func (r *Informer) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, r) }

// Behaviour implements sim.Recorder.
func (r *Informer) Behaviour(d sim.Digest) sim.Digest { return sim.FoldCellsBut(d, r, cellRecord) }

// Cells implements sim.Celled.
func (r *Informer) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	for _, c := range [...]struct {
		kind     sim.CellKind
		contents sim.Digest
	}{
		{cellState, sim.NewDigest.Word(uint64(r.state))},
		{cellServer, sim.NewDigest.Int(int64(r.server))},
		{cellVersion, sim.NewDigest.Int(r.version.last).Bool(r.synced)},
		{cellUnavailable, sim.NewDigest.Bool(r.version.unavailable)},
		{cellStore, objects(r.store)},
		{cellTemporary, objects(r.temporary)},
		{cellRequest, r.rest.digest()},
		{cellPages, r.pager.digest()},
		{cellStream, r.stream.digest()},
		{cellCheck, sim.NewDigest.Int(r.check.version)},
		{cellBackoff, sim.NewDigest.Int(int64(r.backoff.next)).Int(int64(r.backoff.started))},
		{cellRecord, r.record.digest()},
	} {
		visit(c.kind, 0, c.contents)
	}
	if r.shared != nil {
		visit(cellHeld, 0, sim.NewDigest.Bool(r.held))
		r.shared.Cells(visit)
	}
	if r.controller != nil {
		r.controller.Cells(visit)
	}
}

func objects(store *btree.BTreeG[*wire.KeyValue]) sim.Digest {
	d := sim.NewDigest
	store.Ascend(func(kv *wire.KeyValue) bool {
		d = kv.Digest(d)
		return true
	})
	return d
}

func (q *rest) digest() sim.Digest {
	d := sim.NewDigest.Int(int64(q.retries)).Bool(q.call != sim.NoConn)
	if q.request != nil {
		d = q.request.Digest(d)
	}
	return d
}

func (g *pager) digest() sim.Digest {
	d := sim.NewDigest.Int(g.version).Int(g.pageSize).Int(g.listVersion)
	d = d.Bool(g.inPages).Bool(g.whole).Bool(g.newest).Bool(g.honoured)
	for _, kv := range g.items {
		d = kv.Digest(d)
	}
	return d
}

func (s *stream) digest() sim.Digest {
	return sim.NewDigest.Bool(s.conn != sim.NoConn).Int(int64(s.began)).Bool(s.events > 0).Bool(s.failed)
}

func (c *Record) digest() sim.Digest {
	d := sim.NewDigest.Int(int64(c.Restarts)).Int(int64(c.Requests)).Int(c.Requested)
	return d.Int(int64(c.Streamed)).Int(int64(c.Listed)).Int(int64(c.Fallbacks)).Int(int64(c.Checked)).Bool(c.Panicked)
}
