package informer

import "github.com/watchbed/watchbed/sim/wire"

// resourceVersion is where the Reflector is.
type resourceVersion struct {
	// last is lastSyncResourceVersion: the resourceVersion of the last list, event
	// or bookmark; wire.Unset before the first list.
	last int64
	// unavailable is isLastSyncResourceVersionUnavailable: the last request that
	// named it was answered with "expired" or "too large".
	unavailable bool
}

// request is relistResourceVersion and rewatchResourceVersion. They differ in
// initial, the resourceVersion of a process's first request.
func (v *resourceVersion) request(initial int64) int64 {
	switch {
	case v.unavailable:
		return wire.Unset
	case v.last == wire.Unset:
		return initial
	}
	return v.last
}

// isExpired: 410.
func isExpired(err *wire.Error) bool { return err.Code == wire.ErrCompacted }
