package request

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// Resource is what requests are validated against.
type Resource struct {
	// Prefix that the keys of all objects have; it ends in "/".
	Prefix string
	Fields store.Fields
}

// ListRules are what a design chose about LISTs that are valid for some and not for
// others.
type ListRules struct {
	// ContinueRefusesVersion: a continue token may not stand beside a resourceVersion or a resourceVersionMatch, where
	// KEP-2340's table and what was shipped differ: Kubernetes 1.31 and later refuse it.
	ContinueRefusesVersion bool
	// MostRecent: a LIST may ask for the most recent state by its resourceVersionMatch, as KEP-3157 proposes for the
	// initial lists of informers (the fix for kubernetes/kubernetes#59848).
	MostRecent bool
}

// ValidateList refuses what the API refuses before any storage sees it
// (ValidateListOptions). The message names the option.
func (r Resource) ValidateList(req *wire.ListRequest, rules ListRules) *wire.Error {
	switch {
	case !r.holds(req.Prefix):
		return badPrefix(req.Prefix, r.Prefix)
	case r.Fields.Unsupported(req.Selector) != "":
		return UnsupportedField(r.Fields.Unsupported(req.Selector))
	case req.KeysOnly && !req.Selector.Empty():
		return selectedKeys
	case req.ResourceVersion < wire.Unset:
		return negativeVersion
	case req.Match > wire.MatchMostRecent:
		return unknownMatch
	case req.Match == wire.MatchMostRecent:
		switch {
		case !rules.MostRecent:
			return unknownMatch
		case req.ResourceVersion != 0 || req.Continue != "":
			// The document has no other resourceVersion beside MostRecent.
			return mostRecentVersion
		}
		return nil
	case req.Match != wire.MatchUnset && req.ResourceVersion == wire.Unset:
		return matchWithoutVersion
	case req.Match == wire.MatchExact && req.ResourceVersion == 0:
		return exactZero
	case req.Continue == "":
		return nil
	case req.Match == wire.MatchExact || req.Match == wire.MatchNotOlderThan && req.ResourceVersion > 0:
		return matchWithContinue
	case !rules.ContinueRefusesVersion:
		return nil
	case req.Match != wire.MatchUnset:
		return matchWithContinue
	case req.ResourceVersion > 0:
		return continueWithVersion
	}
	return nil
}

// ValidateGet refuses what is not this resource's, or no version.
func (r Resource) ValidateGet(req *wire.GetRequest) *wire.Error {
	switch {
	case !strings.HasPrefix(req.Key, r.Prefix) || len(req.Key) == len(r.Prefix):
		return &wire.Error{Code: wire.BadRequest, Message: "key: " + strconv.Quote(req.Key) + " is no object under " + r.Prefix}
	case req.ResourceVersion < wire.Unset:
		return negativeVersion
	}
	return nil
}

// holds reports whether a prefix is of the cache's resource, with or without its
// final "/".
func (r Resource) holds(prefix string) bool {
	return strings.HasPrefix(prefix, r.Prefix) || prefix == r.Prefix[:len(r.Prefix)-1]
}

func badPrefix(prefix, resource string) *wire.Error {
	return &wire.Error{Code: wire.BadRequest, Message: "prefix: " + strconv.Quote(prefix) + " is not under " + resource}
}

// UnsupportedField refuses a selector by a field that the objects do not have.
func UnsupportedField(field string) *wire.Error {
	return &wire.Error{Code: wire.BadRequest, Message: "fieldSelector: field label not supported: " + strconv.Quote(field)}
}

var (
	matchWithContinue   = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden when continue is provided"}
	matchWithoutVersion = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden unless resourceVersion is provided"}
	exactZero           = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch "Exact" is forbidden for resourceVersion "0"`}
	unknownMatch        = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch: supported values are "", "Exact" and "NotOlderThan"`}
	mostRecentVersion   = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch "MostRecent" is forbidden unless resourceVersion is "0"`}
	selectedKeys        = &wire.Error{Code: wire.BadRequest, Message: "a list of keys alone goes with no selector, which looks at objects"}
	negativeVersion     = &wire.Error{Code: wire.BadRequest, Message: "resourceVersion: it must not be negative"}
	continueWithVersion = &wire.Error{Code: wire.BadRequest, Message: "resourceVersion is forbidden when continue is provided"}
)
