package wire

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
)

// ResourceVersionMatch is metav1.ResourceVersionMatch.
type ResourceVersionMatch uint8

// How ListRequest.ResourceVersion is to be read.
const (
	MatchUnset ResourceVersionMatch = iota
	MatchNotOlderThan
	MatchExact
	// MatchMostRecent is none of Kubernetes': KEP-3157 has informers list with
	// resourceVersion "0" and this, so that what they get is not older than their request.
	MatchMostRecent
)

// Unset is the resourceVersion of a request that gives none, Kubernetes' empty
// string: the newest state is wanted. 0 is "any".
const Unset int64 = -1

// Selector selects objects by the value of one field, "spec.nodeName=node-1", by that of
// one label, "app=web", or by both: then both have to match. The zero value selects all.
type Selector struct {
	// Field is empty if the field selector is.
	Field, Value string
	// Label is empty if the label selector is.
	Label, LabelValue string
	// Shard is the part of all objects that the selector is for. Only the first term has one.
	Shard Shard
	// And is what the object must match as well, nil for nothing more: selectors of several
	// terms. It never changes.
	And *Selector
}

// Empty reports whether the selector selects all objects.
func (s Selector) Empty() bool {
	return s.Field == "" && s.Label == "" && s.Shard == (Shard{}) && (s.And == nil || s.And.Empty())
}

// RequiresExactMatch is the value that the selector requires of a field: the first, if several
// terms name it. It returns false if none does (fields.Selector).
func (s Selector) RequiresExactMatch(field string) (value string, ok bool) {
	for term := &s; term != nil; term = term.And {
		if term.Field == field {
			return term.Value, true
		}
	}
	return "", false
}

func (s Selector) digest(d sim.Digest) sim.Digest {
	if s.Field != "" {
		d = d.Text(s.Field).Text(s.Value)
	}
	if s.Label != "" {
		d = d.Text("label").Text(s.Label).Text(s.LabelValue)
	}
	d = s.Shard.digest(d)
	if s.And != nil {
		d = s.And.digest(d.Text("and"))
	}
	return d
}

// String is how it stands behind a request, with a space before each part.
func (s Selector) String() string {
	text := ""
	if s.Field != "" {
		text += " " + s.Field + "=" + s.Value
	}
	if s.Label != "" {
		text += " label " + s.Label + "=" + s.LabelValue
	}
	text += s.Shard.String()
	if s.And != nil {
		text += s.And.String()
	}
	return text
}

// ListRequest is a LIST of one resource prefix as the API machinery's
// storage.Interface takes it.
type ListRequest struct {
	// Prefix ends in "/": all keys under it.
	Prefix          string
	ResourceVersion int64
	Match           ResourceVersionMatch
	Limit           int64
	Continue        string
	// FromEtcd is the per-request override that KEP-2340 weighs: the cache is to
	// stay out of it. No release of Kubernetes has it.
	FromEtcd bool
	Selector Selector
	// Single: Prefix is the key of one object, and the list has that one or none
	// (storage.ListOptions without Recursive). Its continue token means nothing.
	Single bool
	// KeysOnly: the objects come without their values (Cacher.getKeys). It goes with no
	// selector.
	KeysOnly bool
}

func (r *ListRequest) Digest(d sim.Digest) sim.Digest {
	d = d.Text("list").Text(r.Prefix).Int(r.ResourceVersion).Word(uint64(r.Match)).Int(r.Limit).Text(r.Continue)
	d = d.If(r.FromEtcd, "from etcd")
	return r.Selector.digest(d.If(r.Single, "single").If(r.KeysOnly, "keys only"))
}

func (r *ListRequest) Label() string {
	s := "LIST " + r.Prefix
	if r.ResourceVersion != Unset {
		s += " RV=" + itoa(r.ResourceVersion)
	}
	switch r.Match {
	case MatchExact:
		s += " exact"
	case MatchNotOlderThan:
		s += " not older"
	case MatchMostRecent:
		s += " most recent"
	}
	s += r.Selector.String()
	if r.Single {
		s += " single"
	}
	if r.KeysOnly {
		s += " keys only"
	}
	if r.Limit > 0 {
		s += " limit=" + itoa(r.Limit)
	}
	if r.Continue != "" {
		s += " continued"
	}
	return s
}

// ListResponse is a list with its resourceVersion.
type ListResponse struct {
	ResourceVersion int64
	Items           []*KeyValue
	Continue        string
	// RemainingItemCount is how many objects come after these. 0 is Kubernetes' nil:
	// none does, or the list has a selector, which etcd does not know of
	// (storage.PrepareContinueToken).
	RemainingItemCount int64
	// Shard is that of the request if the server knows of shards (ListMeta.ShardInfo). Without it the objects are
	// of all shards.
	Shard Shard
	// Origin is the server that answered: the cache or etcd.
	Origin Origin
}

// Origin says where an answer came from.
type Origin uint8

// The origins.
const (
	FromCache Origin = iota
	FromEtcd
	// FromFallback: the cache gave up waiting and asked etcd.
	FromFallback
)

func (o Origin) String() string { return [...]string{"cache", "etcd", "etcd (fallback)"}[o] }

func (r *ListResponse) Digest(d sim.Digest) sim.Digest {
	d = d.Text("listed").Int(r.ResourceVersion).Text(r.Continue).Word(uint64(r.Origin))
	if r.RemainingItemCount != 0 {
		d = d.Text("remaining").Int(r.RemainingItemCount)
	}
	return digestKVs(r.Shard.digest(d), r.Items)
}

func (r *ListResponse) Label() string {
	return "list RV=" + itoa(r.ResourceVersion) + ": " + strconv.Itoa(len(r.Items)) + " items"
}

func (r *ListResponse) Objects() int { return len(r.Items) }

// GetRequest is a GET of one object.
type GetRequest struct {
	Key             string
	ResourceVersion int64
}

func (r *GetRequest) Digest(d sim.Digest) sim.Digest {
	return d.Text("get").Text(r.Key).Int(r.ResourceVersion)
}

func (r *GetRequest) Label() string {
	if r.ResourceVersion == Unset {
		return "GET " + r.Key
	}
	return "GET " + r.Key + " RV=" + itoa(r.ResourceVersion)
}

// GetResponse is the object, nil if there is none.
type GetResponse struct {
	Item *KeyValue
	// ResourceVersion is that of the state in which there is none (KeyNotFoundError), 0 if
	// there is one. Callers of the storage are told it, and no client goes by it, so that no
	// run depends on it: it is no part of the digest.
	ResourceVersion int64
	Origin          Origin
}

func (r *GetResponse) Digest(d sim.Digest) sim.Digest {
	return r.Item.Digest(d.Text("got").Word(uint64(r.Origin)))
}

func (r *GetResponse) Label() string {
	if r.Item == nil {
		return "not found"
	}
	return r.Item.Key + "=" + r.Item.Value
}

// SendInitialEvents is ListOptions.SendInitialEvents, a pointer to a bool
// (KEP-3157, "API changes").
type SendInitialEvents uint8

// Whether a watch begins with the present state. Unset means yes at a
// resourceVersion that is unset or 0, and no at any other, as before KEP-3157.
const (
	SendInitialEventsUnset SendInitialEvents = iota
	SendInitialEventsFalse
	SendInitialEventsTrue
)

// WatchRequest is a WATCH of one resource prefix; the events follow as
// WatchEvent messages on the same stream.
type WatchRequest struct {
	Prefix string
	// ResourceVersion is where to start: events after it. Unset and 0 first
	// send the present state as ADDED events, unless SendInitialEvents says
	// something else.
	ResourceVersion   int64
	Match             ResourceVersionMatch
	SendInitialEvents SendInitialEvents
	AllowBookmarks    bool
	// TimeoutSeconds is after how long the API server ends the watch; 0 is never.
	TimeoutSeconds int64
	Selector       Selector
	// Single: Prefix is the key of one object, and no other is watched.
	Single bool
	// Announce: WatchEstablished comes before everything else. An API server answers each
	// watch so; here only clients that look at it get the message.
	Announce bool
}

// WatchEstablished is the beginning of the answer to a watch, HTTP 200: it is fixed from where
// on its events come, and no later write is lost. A watch that is refused before it, with 400
// or 429, fails as a request does; errors that come after it are events of type ERROR.
type WatchEstablished struct{}

func (*WatchEstablished) Digest(d sim.Digest) sim.Digest { return d.Text("watch established") }
func (*WatchEstablished) Label() string                  { return "watch established" }

func (r *WatchRequest) Digest(d sim.Digest) sim.Digest {
	d = d.Text("watch").Text(r.Prefix).Int(r.ResourceVersion).Bool(r.AllowBookmarks)
	if r.Match != MatchUnset || r.SendInitialEvents != SendInitialEventsUnset {
		d = d.Word(uint64(r.Match)<<8 | uint64(r.SendInitialEvents))
	}
	return r.Selector.digest(d.Set(r.TimeoutSeconds).If(r.Announce, "announce").If(r.Single, "single"))
}

func (r *WatchRequest) Label() string {
	s := "WATCH " + r.Prefix
	if r.ResourceVersion != Unset {
		s += " RV=" + itoa(r.ResourceVersion)
	}
	s += r.Selector.String()
	if r.Single {
		s += " single"
	}
	if r.SendInitialEvents == SendInitialEventsTrue {
		s += " with initial events"
	}
	return s
}
