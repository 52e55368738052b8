package request

import (
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Resource is what requests are validated against.
type Resource struct {
	// Prefix that the keys of all objects have; it ends in "/".
	Prefix string
	Fields store.Fields
}

// ContinueWithVersion is the value of the option continue-with-version.
type ContinueWithVersion uint8

// ContinueRule says whether a continue token may stand beside a resourceVersion or
// a resourceVersionMatch; it returns nil if so.
type ContinueRule func(req *wire.ListRequest) *wire.Error

// ContinueRules is the seam of what becomes of a continue token beside a
// resourceVersion, where KEP-2340's table and what was shipped differ.
var ContinueRules = option.NewSeam[ContinueWithVersion, ContinueRule]("continue-with-version",
	"what becomes of a LIST with a continue token and a resourceVersion").
	Shipped("ignored", "it reads at the token's revision (KEP-2340)",
		func(*wire.ListRequest) *wire.Error { return nil })

// ContinueRefusesVersion is what Kubernetes 1.31 and later do.
var ContinueRefusesVersion = ContinueRules.Register("refused", "400 (Kubernetes 1.31 and later)", refuseVersion)

func refuseVersion(req *wire.ListRequest) *wire.Error {
	switch {
	case req.Match != wire.MatchUnset:
		return matchWithContinue
	case req.ResourceVersion > 0:
		return continueWithVersion
	}
	return nil
}

// ValidateList refuses what the API refuses before any storage sees it
// (ValidateListOptions). The message names the option.
func (r Resource) ValidateList(req *wire.ListRequest, rule ContinueRule) *wire.Error {
	switch {
	case !r.holds(req.Prefix):
		return badPrefix(req.Prefix, r.Prefix)
	case req.Selector.Field != "" && r.Fields.Find(req.Selector.Field) == nil:
		return UnsupportedField(req.Selector)
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
	}
	return rule(req)
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
func UnsupportedField(s wire.Selector) *wire.Error {
	return &wire.Error{Code: wire.BadRequest, Message: "fieldSelector: field label not supported: " + strconv.Quote(s.Field)}
}

var (
	matchWithContinue   = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden when continue is provided"}
	matchWithoutVersion = &wire.Error{Code: wire.BadRequest, Message: "resourceVersionMatch is forbidden unless resourceVersion is provided"}
	exactZero           = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch "Exact" is forbidden for resourceVersion "0"`}
	unknownMatch        = &wire.Error{Code: wire.BadRequest, Message: `resourceVersionMatch: supported values are "", "Exact" and "NotOlderThan"`}
	negativeVersion     = &wire.Error{Code: wire.BadRequest, Message: "resourceVersion: it must not be negative"}
	continueWithVersion = &wire.Error{Code: wire.BadRequest, Message: "resourceVersion is forbidden when continue is provided"}
)
