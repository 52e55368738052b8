package read

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// Watch is a watch that waits to begin, as a read does, until it is known what it
// has to wait for and until the cache has got there.
type Watch interface {
	// Number is the watch's own among those of the cache, Request what its client
	// asked for and From that client.
	Number() int
	Request() *wire.WatchRequest
	From() sim.NodeID
	// RevisionKnown has etcd's revision; the watch may then call WatchUntilFresh.
	// It returns false if there is nothing to wait for. Fresh means that the
	// cache has reached it, Refused that the watch waited too long, or that etcd
	// did not answer with its revision.
	RevisionKnown(env *sim.Env, revision int64) bool
	Fresh(env *sim.Env)
	Refused(env *sim.Env, err *wire.Error)
}

// AskRevision asks etcd for its revision on behalf of a watch.
func (d *Delegator) AskRevision(env *sim.Env, w Watch) {
	d.newWatchRead(env, w).askRevision(env)
}

// WatchUntilFresh makes a watch wait until the cache is at a resourceVersion: at
// most for a time, or as long as a read if that is 0.
func (d *Delegator) WatchUntilFresh(env *sim.Env, w Watch, resourceVersion int64, patience sim.Duration) {
	r := d.readOf(w)
	if r == nil {
		r = d.newWatchRead(env, w)
	}
	if patience == 0 {
		patience = d.cfg.BlockTimeout
	}
	r.waitUntilFresh(env, resourceVersion, patience)
}

// Abandon ends the question to etcd of a watch whose client has gone. It returns
// false if the watch waits for the cache, which does not end before its time:
// waitUntilFreshLocked never looks at the context.
func (d *Delegator) Abandon(env *sim.Env, w Watch) bool {
	r := d.readOf(w)
	if r == nil {
		return true
	}
	env.Reads(cellWait, r.number)
	if r.state != asking {
		return false
	}
	env.Close(r.call)
	r.end(env)
	return true
}

func (d *Delegator) newWatchRead(env *sim.Env, w Watch) *Read {
	r := d.newRead(env)
	r.watch, r.from, r.cause = w, w.From(), env.Cause()
	return r
}

// readOf is the read of a watch, nil if it has none.
func (d *Delegator) readOf(w Watch) *Read {
	for _, r := range d.reads {
		if r.watch == w {
			return r
		}
	}
	return nil
}

// watchFresh continues a watch for which the cache is fresh enough. Upstream
// releases the lock here and takes it again for the interval.
func (r *Read) watchFresh(env *sim.Env) {
	watch := r.watch
	r.end(env)
	watch.Fresh(env)
}
