// Package request (unstable) is what the API makes of a LIST or a GET before
// any storage sees it: it validates the options and reads continue tokens.
//
// The package must never import sim/cache or a package below it but store.
package request

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/sim"
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

// Shards is what becomes of a request for a shard (KEP-5866).
type Shards uint8

// The values of shards.
const (
	ShardsHonoured Shards = iota
	ShardsIgnored
	shardsToEnd
	shardsOfLastState
	shardsOfChanges
	shardsOfFirstPage
	shardsUnlessDelegated
)

// ShardsGroup returns the option, whose value is where at says.
func ShardsGroup[T any](at func(*T) *Shards) option.Group[T] {
	return option.NewGroup("cache", option.Choice("shards", at, "what becomes of the shardSelector of a LIST or WATCH (KEP-5866)",
		option.Val("honoured", "both have the objects of the shard, and the answer to a LIST says so (gate ShardedListAndWatch, on since Kubernetes 1.38)"),
		option.Val("ignored", "nothing: a server that does not know it, or has the gate off"),
		option.Bug("end-included", "the object with the hash at the end of the shard is in it, too: no release"),
		option.Bug("last-state", "a watch asks of an object's last state only whether it is in the shard: no release"),
		option.Bug("changes", "initial events are of all shards: no release"),
		option.Bug("first-page", "the pages after the first are of all shards: no release"),
		option.Bug("unless-delegated", "lists that etcd answers are of all shards: no release")).
		Undrawn("requests name shards or none; informer-shard-skew has servers of both kinds"))
}

// Heard is a request as the API server understands it.
func (s Shards) Heard(m *sim.Message) *sim.Message {
	if s != ShardsIgnored {
		return m
	}
	heard := *m
	switch p := m.Payload.(type) {
	case *wire.ListRequest:
		list := *p
		list.Selector.Shard, heard.Payload = wire.Shard{}, &list
	case *wire.WatchRequest:
		watch := *p
		watch.Selector.Shard, heard.Payload = wire.Shard{}, &watch
	}
	return &heard
}

// OfList is what a LIST selects in the cache, or in etcd's answer.
func (s Shards) OfList(list *wire.ListRequest, fromEtcd bool) wire.Selector {
	selector := s.of(list.Selector)
	if s == shardsUnlessDelegated && fromEtcd || s == shardsOfFirstPage && list.Continue != "" {
		selector.Shard = wire.Shard{}
	}
	return selector
}

// OfEvent is what a watch selects, and the event of which it does so.
func (s Shards) OfEvent(selector wire.Selector, initial bool, e *wire.WatchEvent) (wire.Selector, *wire.WatchEvent) {
	selector = s.of(selector)
	switch {
	case selector.Shard == (wire.Shard{}):
	case s == shardsOfChanges && initial:
		selector.Shard = wire.Shard{}
	case s == shardsOfLastState && e.Prev != nil:
		last := *e
		last.Prev, e = nil, &last
	}
	return selector, e
}

func (s Shards) of(selector wire.Selector) wire.Selector {
	if s == shardsToEnd && selector.Shard.To != 0 {
		selector.Shard.To++
	}
	return selector
}

// continueToken is where a list goes on: Kubernetes' own format, base64 of
// JSON, so that tokens of other servers can be tried here.
type continueToken struct {
	APIVersion      string `json:"v"`
	ResourceVersion int64  `json:"rv"`
	StartKey        string `json:"start"`
}

const continueVersion = "meta.k8s.io/v1"

// EncodeContinue makes the token of the page after lastKey.
func EncodeContinue(resourceVersion int64, prefix, lastKey string) string {
	return encode(resourceVersion, strings.TrimPrefix(lastKey, prefix)+"\x00")
}

// EncodeRest makes the token of a page that begins at a key, in the newest state.
func EncodeRest(prefix, start string) string { return encode(-1, strings.TrimPrefix(start, prefix)) }

func encode(resourceVersion int64, start string) string {
	// A struct of strings and numbers always has a JSON form.
	text, _ := json.Marshal(&continueToken{continueVersion, resourceVersion, start})
	return base64.RawURLEncoding.EncodeToString(text)
}

// DecodeContinue returns where the next page starts. A negative
// resourceVersion stands for the newest state.
func DecodeContinue(token, prefix string) (resourceVersion int64, key string, refused *wire.Error) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, "", badContinue("it is not base64")
	}
	var t continueToken
	if err := json.Unmarshal(text, &t); err != nil {
		return 0, "", badContinue("it is not the JSON of a token")
	}
	switch {
	case t.APIVersion != continueVersion:
		return 0, "", badContinue("it is of another version than " + continueVersion)
	case t.ResourceVersion == 0:
		return 0, "", badContinue("its resourceVersion is 0")
	case t.StartKey == "":
		return 0, "", badContinue("its start key is empty")
	}
	// A start key such as "../secrets/" would lead out of the resource.
	start := "/" + strings.TrimPrefix(t.StartKey, "/")
	if path.Clean(start) != start {
		return 0, "", badContinue("its start key is not a plain one")
	}
	return t.ResourceVersion, prefix + start[1:], nil
}

func badContinue(why string) *wire.Error {
	return &wire.Error{Code: wire.BadRequest, Message: "continue: the token is not valid: " + why}
}
