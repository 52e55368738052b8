package cache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// Clone implements sim.Cloner. Store and history are shared until one of the
// two changes.
func (c *Cache) Clone() sim.Node {
	d := *c
	d.store = c.store.Clone()
	d.guard = c.guard.Clone()
	d.ready = c.ready.clone()
	d.reflector = c.reflector.Clone(feed{&d})
	d.ingestion = c.ingestion.clone()
	d.requester.cfg = &d.cfg
	c.dispatcher.CloneTo(&d.dispatcher, &d.store, surroundings{&d})
	d.reads = slices.Clone(c.reads)
	for i := range d.reads {
		if w := d.reads[i].watcher; w != nil {
			d.reads[i].watcher = d.dispatcher.Watcher(w.Number())
		}
	}
	d.kept = slices.Clone(c.kept)
	d.checks = c.checks.Clone()
	// The blocks that answers come from have one writer only.
	d.answers = answers{}
	return &d
}

// Fingerprint implements sim.Fingerprinter. The configuration is left out: it
// is the same throughout an exploration.
func (c *Cache) Fingerprint(d sim.Digest) sim.Digest {
	d = c.ready.fingerprint(d)
	d = c.store.Fingerprint(d)
	d = c.guard.Fingerprint(d)
	if c.cfg.Defects.CurrentRV == CurrentRVLastReader {
		d = d.Int(c.answeredRevision)
	}
	d = c.ingestion.fingerprint(c.reflector.Fingerprint(d)).Bool(c.deadlocked)
	d = c.requester.fingerprint(d)
	d = c.dispatcher.Fingerprint(d)
	d = d.Bool(c.slow).Bool(c.notified).Int(int64(c.notifiedAt))
	for i := range c.kept {
		d = c.kept[i].fingerprint(d)
	}
	for i := range c.reads {
		d = c.reads[i].fingerprint(d)
	}
	d = c.checks.Fingerprint(d)
	return c.dispatcher.FingerprintWatchers(d, c.ready.generation)
}
