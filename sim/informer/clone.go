package informer

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Clone implements sim.Cloner. The stores are shared until one of the two
// changes.
func (r *Informer) Clone() sim.Node {
	c := *r
	c.pager.items = slices.Clone(r.pager.items)
	c.store, c.temporary = r.store.Clone(), r.temporary.Clone()
	return &c
}

// Fingerprint implements sim.Fingerprinter. The configuration is left out: it
// is the same throughout an exploration. What was recorded belongs to it: a
// verdict depends on it.
func (r *Informer) Fingerprint(d sim.Digest) sim.Digest {
	d = d.Word(uint64(r.state)<<32 | uint64(r.server)).Bool(r.synced)
	d = d.Int(r.version.last).Bool(r.version.unavailable)
	d = d.Int(int64(r.backoff.next)).Int(int64(r.backoff.started))
	d = d.Int(int64(r.rest.retries)).Bool(r.rest.call != sim.NoConn)
	if r.rest.request != nil {
		d = r.rest.request.Digest(d)
	}
	d = r.pager.fingerprint(d)
	s := &r.stream
	d = d.Bool(s.conn != sim.NoConn).Int(int64(s.began)).Bool(s.events > 0).Bool(s.failed).Int(r.check.version)
	c := &r.record
	d = d.Int(int64(c.Restarts)).Int(int64(c.Requests)).Int(c.Requested)
	d = d.Int(int64(c.Streamed)).Int(int64(c.Listed)).Int(int64(c.Fallbacks)).Int(int64(c.Checked)).Bool(c.Panicked)
	digest := func(kv *wire.KeyValue) bool {
		d = kv.Digest(d)
		return true
	}
	d = d.Int(int64(r.store.Len()))
	r.store.Ascend(digest)
	d = d.Int(int64(r.temporary.Len()))
	r.temporary.Ascend(digest)
	return d
}

func (g *pager) fingerprint(d sim.Digest) sim.Digest {
	d = d.Int(g.version).Int(g.pageSize).Int(g.listVersion).Bool(g.inPages).Bool(g.whole).Bool(g.newest).Bool(g.honoured)
	d = d.Int(int64(len(g.items)))
	for _, kv := range g.items {
		d = kv.Digest(d)
	}
	return d
}
