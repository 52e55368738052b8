package cache

import (
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/wire"
)

// validateWatchGate refuses what there is not without the gate WatchList, as an
// API server does that has never heard of it.
func (c *Cache) validateWatchGate(req *wire.WatchRequest) *wire.Error {
	if c.cfg.Guard.WatchList == guard.GateDisabled && req.SendInitialEvents != wire.SendInitialEventsUnset {
		return watchListGateOff
	}
	return nil
}

var (
	watchListGateOff = &wire.Error{Code: wire.BadRequest, Message: "sendInitialEvents is forbidden for watch while the feature gate WatchList is off"}
	// Upstream has no code for it either: client-go lists instead after any error.
	progressNotTrusted = &wire.Error{Code: wire.Internal, Message: "sendInitialEvents needs RequestWatchProgress, which is off: etcd is too old, or its version is not known yet"}
)
