package cache

import "github.com/watchbed/watchbed/sim/wire"

// validateWatch refuses what the API refuses before any storage sees it
// (validateWatchOptions of the API machinery).
func validateWatch(req *wire.WatchRequest) *wire.Error {
	switch {
	case req.ResourceVersion < wire.Unset:
		return watchBadVersion
	case req.SendInitialEvents > wire.SendInitialEventsTrue:
		return watchBadInitialEvents
	case req.Match != wire.MatchUnset && req.Match != wire.MatchNotOlderThan:
		return watchBadMatch
	case req.SendInitialEvents != wire.SendInitialEventsUnset && req.Match == wire.MatchUnset:
		return initialEventsWithoutMatch
	case req.SendInitialEvents == wire.SendInitialEventsUnset && req.Match != wire.MatchUnset:
		return watchMatchWithoutInitialEvents
	}
	return nil
}

var (
	watchBadVersion                = &wire.Error{Code: wire.BadRequest, Message: "resourceVersion must not be negative"}
	watchBadInitialEvents          = &wire.Error{Code: wire.BadRequest, Message: "sendInitialEvents must be true, false or unset"}
	watchBadMatch                  = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch of a watch can only be "NotOlderThan"`}
	initialEventsWithoutMatch      = &wire.Error{Code: wire.BadRequest, Message: `sendInitialEvents requires resourceVersionMatch "NotOlderThan"`}
	watchMatchWithoutInitialEvents = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"}
)
