package cache

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/wire"
)

// validateList refuses what the API refuses before any storage sees it
// (ValidateListOptions). The message names the option.
func (c *Cache) validateList(req *wire.ListRequest) *wire.Error {
	switch {
	case !c.holds(req.Prefix):
		return badPrefix(req.Prefix, c.cfg.Prefix)
	case !c.selectable(req.Selector):
		return unsupportedField(req.Selector)
	case req.ResourceVersion < wire.Unset:
		return negativeVersion
	case req.Match > wire.MatchExact:
		return unknownMatch
	case req.Match != wire.MatchUnset && req.ResourceVersion == wire.Unset:
		return matchWithoutVersion
	case req.Match == wire.MatchExact && req.ResourceVersion == 0:
		return exactZero
	case req.Continue == "":
		return nil
	case req.Match == wire.MatchExact || req.Match == wire.MatchNotOlderThan && req.ResourceVersion > 0:
		return matchWithContinue
	case c.cfg.ContinueWithVersion == ContinueIgnoresVersion:
		return nil
	case req.Match != wire.MatchUnset:
		return matchWithContinue
	case req.ResourceVersion > 0:
		return continueWithVersion
	}
	return nil
}

// validateGet refuses what is not this resource's, or no version.
func (c *Cache) validateGet(req *wire.GetRequest) *wire.Error {
	switch {
	case !strings.HasPrefix(req.Key, c.cfg.Prefix) || len(req.Key) == len(c.cfg.Prefix):
		return &wire.Error{Code: wire.BadRequest, Message: "key: " + strconv.Quote(req.Key) + " is no object under " + c.cfg.Prefix}
	case req.ResourceVersion < wire.Unset:
		return negativeVersion
	}
	return nil
}

// holds reports whether a prefix is of the cache's resource, with or without its
// final "/".
func (c *Cache) holds(prefix string) bool {
	return strings.HasPrefix(prefix, c.cfg.Prefix) || prefix == c.cfg.Prefix[:len(c.cfg.Prefix)-1]
}

func badPrefix(prefix, resource string) *wire.Error {
	return &wire.Error{Code: wire.BadRequest, Message: "prefix: " + strconv.Quote(prefix) + " is not under " + resource}
}

var (
	matchWithContinue   = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden when continue is provided"}
	matchWithoutVersion = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden unless resourceVersion is provided"}
	exactZero           = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch "Exact" is forbidden for resourceVersion "0"`}
	unknownMatch        = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch: supported values are "", "Exact" and "NotOlderThan"`}
	negativeVersion     = &wire.Error{Code: wire.BadRequest, Message: "resourceVersion: a version is no negative number"}
	continueWithVersion = &wire.Error{Code: wire.BadRequest, Message: "resourceVersion is forbidden when continue is provided"}
)
