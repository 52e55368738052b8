package caches

import (
	"github.com/watchbed/watchbed/properties/moments"
	"github.com/watchbed/watchbed/sim"
)

// refusalsPast is, for each request and each watch that may still be refused, what was so when it was asked
// and has been so since then.
type refusalsPast struct{ *justifiedRefusals }

// Digest implements testbed.Past.
func (p refusalsPast) Digest(d sim.Digest) sim.Digest {
	for i := range p.system.Clients() {
		d = p.open(d, p.moments.Open(i))
	}
	for i := range len(p.system.Watchers()) + len(p.system.ListWatchers()) + len(p.system.DrawnWatchers()) {
		if all := p.moments.Watches(i); len(all) > 0 && !all[len(all)-1].Over {
			d = p.open(d, &all[len(all)-1])
		}
	}
	for i := range p.system.Caches() {
		d = d.Int(p.moments.Listed(i)).Bool(p.promise.foundDifferent(i))
	}
	if p.timed {
		d = p.moments.Times(d)
	}
	return d
}

// open mixes in what is known of a call so far.
func (p refusalsPast) open(d sim.Digest, at *moments.Call) sim.Digest {
	if at == nil {
		return d.Bool(false)
	}
	d = d.Bool(true).Int(at.Asked.Revision).Int(int64(at.Asked.Time))
	if at.Cache < 0 {
		return d
	}
	so := p.moments.SoFar(at)
	return d.Int(at.Asked.Cache.Version).Int(so.Answered.Cache.Version).Int(so.Answered.Cache.Compacted).Int(so.Answered.Cache.Listed).
		Int(int64(at.Asked.Cache.DownSince)).Int(int64(so.Answered.Cache.DownSince)).
		Bool(so.WasReady()).Bool(so.WasCurrent()).Bool(so.WasAlone()).Bool(so.TrustedEtcd()).Bool(so.DistrustedEtcd())
}
