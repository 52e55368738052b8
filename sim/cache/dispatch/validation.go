package dispatch

import (
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/wire"
)

// validate refuses what the API refuses before any storage sees it
// (validateWatchOptions of the API machinery), and what an API server does not
// know without the gate WatchList.
func (d *Dispatcher) validate(req *wire.WatchRequest) *wire.Error {
	switch {
	case d.cfg.Fields.Unsupported(req.Selector) != "":
		return request.UnsupportedField(d.cfg.Fields.Unsupported(req.Selector))
	case req.ResourceVersion < wire.Unset:
		return badVersion
	case req.SendInitialEvents > wire.SendInitialEventsTrue:
		return badInitialEvents
	case req.Match != wire.MatchUnset && req.Match != wire.MatchNotOlderThan:
		return badMatch
	case req.SendInitialEvents != wire.SendInitialEventsUnset && req.Match == wire.MatchUnset:
		return initialEventsWithoutMatch
	case req.SendInitialEvents == wire.SendInitialEventsUnset && req.Match != wire.MatchUnset:
		return matchWithoutInitialEvents
	case req.SendInitialEvents != wire.SendInitialEventsUnset && d.cfg.WithoutWatchList:
		return watchListGateOff
	}
	return nil
}

var (
	badVersion                = &wire.Error{Code: wire.BadRequest, Message: "resourceVersion must not be negative"}
	badInitialEvents          = &wire.Error{Code: wire.BadRequest, Message: "sendInitialEvents must be true, false or unset"}
	badMatch                  = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch of a watch can only be "NotOlderThan"`}
	initialEventsWithoutMatch = &wire.Error{Code: wire.BadRequest, Message: `sendInitialEvents requires resourceVersionMatch "NotOlderThan"`}
	matchWithoutInitialEvents = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"}
	watchListGateOff          = &wire.Error{Code: wire.BadRequest, Message: "sendInitialEvents is forbidden for watch while the feature gate WatchList is off"}

	// Upstream has no code for it either: client-go lists instead after any error.
	progressNotTrusted = &wire.Error{Code: wire.Internal, Message: "sendInitialEvents needs RequestWatchProgress, which is off: etcd is too old, or its version is not known yet"}
)
