package cache

import "github.com/watchbed/watchbed/sim/wire"

// validateList refuses what the API refuses before any storage sees it.
func validateList(req *wire.ListRequest) *wire.Error {
	switch {
	case req.Match != wire.MatchUnset && req.Continue != "":
		return matchWithContinue
	case req.Match != wire.MatchUnset && req.ResourceVersion == wire.Unset:
		return matchWithoutVersion
	case req.Match == wire.MatchExact && req.ResourceVersion == 0:
		return exactZero
	case req.Continue != "" && req.ResourceVersion > 0:
		return continueWithVersion
	}
	return nil
}

// shouldDelegateList says which lists are etcd's to answer however ready the
// cache is: it keeps no past states (KEP-2340, the LIST table).
func (c *Cache) shouldDelegateList(req *wire.ListRequest) bool {
	switch {
	case c.cfg.Freshness == FreshnessDirect:
		return true
	case req.Match == wire.MatchExact:
		return true
	case req.Match == wire.MatchNotOlderThan:
		return false
	case req.Continue != "":
		return true
	}
	return isLegacyExact(req)
}

// isLegacyExact: a resourceVersion with a limit and without a match is exact,
// for clients older than resourceVersionMatch.
func isLegacyExact(req *wire.ListRequest) bool {
	return req.Match == wire.MatchUnset && req.Limit > 0 && req.ResourceVersion > 0
}

// shouldDelegateListOnNotReadyCache lets lists that etcd can answer cheaply
// through (KEP-4568).
func shouldDelegateListOnNotReadyCache(req *wire.ListRequest) bool { return req.Limit > 0 }

// computeListLimit: the cache ignores the limit of a resourceVersion "0" list.
func computeListLimit(req *wire.ListRequest) int64 {
	if req.ResourceVersion == 0 {
		return 0
	}
	return req.Limit
}

var (
	matchWithContinue   = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden when continue is provided"}
	matchWithoutVersion = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden unless resourceVersion is provided"}
	exactZero           = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch "Exact" is forbidden for resourceVersion "0"`}
	continueWithVersion = &wire.Error{Code: wire.BadRequest, Message: "specifying resource version is not allowed when using continue"}
	badContinue         = &wire.Error{Code: wire.BadRequest, Message: "invalid continue token"}
)
