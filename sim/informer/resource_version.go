package informer

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// resourceVersion is where the Reflector is.
type resourceVersion struct {
	// last is lastSyncResourceVersion: the resourceVersion of the last list, event
	// or bookmark; wire.Unset before the first list.
	last int64
	// synced: the store has been filled since the process started.
	synced bool
}

// request is relistResourceVersion and rewatchResourceVersion. They differ in
// initial, the resourceVersion of a process's first request.
func (r *Informer) request(env *sim.Env, initial int64) int64 {
	v, unavailable := r.version.Read(env), r.unavailable.Get(env)
	switch {
	case unavailable:
		return wire.Unset
	case v.last == wire.Unset:
		return initial
	}
	return v.last
}

// isExpired: 410.
func isExpired(err *wire.Error) bool { return err.Code == wire.ErrCompacted }
