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

// MostRecent is the value of the option most-recent.
type MostRecent uint8

// MostRecentRule says whether a LIST may ask for the most recent state by its
// resourceVersionMatch; it returns nil if so.
type MostRecentRule func(req *wire.ListRequest) *wire.Error

// MostRecentRules is the seam of what becomes of a LIST with resourceVersion "0" and
// resourceVersionMatch MostRecent (KEP-3157, the fix for kubernetes/kubernetes#59848).
var MostRecentRules = option.NewSeam[MostRecent, MostRecentRule]("most-recent",
	`what becomes of a LIST with resourceVersion "0" and resourceVersionMatch MostRecent`).
	Shipped("refused", "400: no release knows that match",
		func(*wire.ListRequest) *wire.Error { return unknownMatch })

// MostRecentServed is what KEP-3157 proposes for the initial lists of informers.
var MostRecentServed = MostRecentRules.Register("served",
	"the cache asks etcd for its revision, waits until it is there, and answers; 504 if it waits in vain (KEP-3157)", onlyAtZero)

// onlyAtZero: the document has no other resourceVersion beside MostRecent.
func onlyAtZero(req *wire.ListRequest) *wire.Error {
	if req.ResourceVersion != 0 || req.Continue != "" {
		return mostRecentVersion
	}
	return nil
}

// ListRules are what a design chose about LISTs that are valid for some and not for
// others.
type ListRules struct {
	Continue   ContinueRule
	MostRecent MostRecentRule
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
		return rules.MostRecent(req)
	case req.Match != wire.MatchUnset && req.ResourceVersion == wire.Unset:
		return matchWithoutVersion
	case req.Match == wire.MatchExact && req.ResourceVersion == 0:
		return exactZero
	case req.Continue == "":
		return nil
	case req.Match == wire.MatchExact || req.Match == wire.MatchNotOlderThan && req.ResourceVersion > 0:
		return matchWithContinue
	}
	return rules.Continue(req)
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
