package v3rpc

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/etcd/mvcc"
)

// progressDeferred asks for progress through the watch channel. A request that meets
// an unsynced watcher is remembered, and tried again once sendLoop has sent
// something from that channel: if nothing comes, never (#17507).
type progressDeferred struct {
	// deferred is serverWatchStream.deferredProgress.
	deferred bool
}

var cellDeferredProgress = sim.NewCell("etcd: deferredProgress")

// Request implements ProgressRequests.
func (p *progressDeferred) Request(env *sim.Env, sws *ServerWatchStream) {
	if sws.WaitsForTicker(env) {
		return
	}
	env.Reads(cellDeferredProgress, sws.place)
	switch {
	case p.deferred:
		env.Cover(coverProgressStillDeferred)
		progressStillDeferred.Say(env, sws.watch.Name)
	case sws.RequestProgressAll(env):
	default:
		env.Cover(coverProgressDeferred)
		p.deferred = true
		env.Writes(cellDeferredProgress, sws.place)
		progressDeferredAt.Say(env, sws.watch.Name, sws.watch.InTheWay(sws.progress.Rule()))
	}
}

// Sent implements ProgressRequests.
func (p *progressDeferred) Sent(env *sim.Env, sws *ServerWatchStream) {
	env.Reads(cellDeferredProgress, sws.place)
	if p.deferred && sws.RequestProgressAll(env) {
		env.Cover(coverProgressRetried)
		p.deferred = false
		env.Writes(cellDeferredProgress, sws.place)
	}
}

// Rule implements ProgressRequests.
func (p *progressDeferred) Rule() mvcc.ProgressRule { return mvcc.IfSynced }

// Deferred implements ProgressRequests.
func (p *progressDeferred) Deferred() bool { return p.deferred }

// Reset implements ProgressRequests.
func (p *progressDeferred) Reset(env *sim.Env, sws *ServerWatchStream) {
	p.deferred = false
	env.Writes(cellDeferredProgress, sws.place)
}

// Clone implements ProgressRequests.
func (p *progressDeferred) Clone() ProgressRequests {
	c := *p
	return &c
}

// Fingerprint implements ProgressRequests.
func (p *progressDeferred) Fingerprint(d sim.Digest) sim.Digest { return d.Bool(p.deferred) }
