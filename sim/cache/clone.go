package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/read"
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
	d.requester = c.requester.Clone()
	c.dispatcher.CloneTo(&d.dispatcher, &d.store, surroundings{&d})
	c.reads.CloneTo(&d.reads, &d.store, d.requester, surroundings{&d}, func(w read.Watch) read.Watch {
		return d.dispatcher.Watcher(w.Number())
	})
	d.checks = c.checks.Clone()
	return &d
}

// Fingerprint implements sim.Fingerprinter. The configuration is left out: it
// is the same throughout an exploration.
func (c *Cache) Fingerprint(d sim.Digest) sim.Digest {
	d = c.ready.fingerprint(d)
	d = c.store.Fingerprint(d)
	d = c.guard.Fingerprint(d)
	d = c.ingestion.fingerprint(c.reflector.Fingerprint(d))
	d = c.requester.Fingerprint(d)
	d = c.dispatcher.Fingerprint(d)
	d = c.reads.Fingerprint(d)
	d = c.checks.Fingerprint(d)
	return c.dispatcher.FingerprintWatchers(d, c.ready.generation)
}
