package wire

import (
	"slices"
	"strconv"
	"strings"

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

// Initial are the key-values that an etcd began with, in the order of their keys. All runs that
// begin with them share them, and so do all answers that show them: nothing may change them,
// and unlike other key-values they stay what they are in the next run.
//
// An etcd that begins with few has none of this.
type Initial struct {
	Kvs []*KeyValue
	// sums are the digests of the first key-values, from none to all.
	sums []sim.Digest
}

// NewInitial takes key-values in the order of their keys.
func NewInitial(kvs []*KeyValue) Initial {
	in := Initial{Kvs: kvs, sums: make([]sim.Digest, 1, len(kvs)+1)}
	for i, kv := range kvs {
		in.sums = append(in.sums, in.sums[i].Times(base).And(kv.Digest(sim.NewDigest)))
	}
	return in
}

// longList is the number of key-values from which on the digest of a list is made of the
// digests of parts of it. No page of a list in the catalogue is as long.
const longList = 4096

// base is that of the polynomial whose coefficients are the digests of a list: with it the
// digest of a part follows from those of what is before the part, and of all up to its end.
const base = 0xa0761d6478bd642f

// digestLong is the digest of a long list. It depends on the key-values and on their order,
// however much of it is known.
func (r *RangeResponse) digestLong(d sim.Digest) sim.Digest {
	sum, known := r.initial.sum(r.Kvs)
	if !known {
		for _, kv := range r.Kvs {
			sum = sum.Times(base).And(kv.Digest(sim.NewDigest))
		}
	}
	return d.Int(int64(len(r.Kvs))).Fold(sum)
}

// sum is the digest of a list, if the list is a part of these.
func (in *Initial) sum(list []*KeyValue) (sum sim.Digest, known bool) {
	if in == nil {
		return sim.Digest{}, false
	}
	from := in.Search(list[0].Key)
	to := from + len(list)
	if to > len(in.Kvs) || &in.Kvs[from] != &list[0] {
		return sim.Digest{}, false
	}
	power := uint64(1)
	for n, square := len(list), uint64(base); n > 0; n, square = n>>1, square*square {
		if n&1 != 0 {
			power *= square
		}
	}
	return in.sums[to].And(in.sums[from].Times(-power)), true
}

// Within are the places of the keys of etcd's range [key, end), which is not a single key.
func (in *Initial) Within(key, end string) (from, to int) {
	from, to = in.Search(key), len(in.Kvs)
	if end != "\x00" {
		to = max(from, in.Search(end))
	}
	return from, to
}

// Search is the place of the first key that is not less.
func (in *Initial) Search(key string) int {
	at, _ := slices.BinarySearchFunc(in.Kvs, key, func(kv *KeyValue, key string) int { return strings.Compare(kv.Key, key) })
	return at
}

// Know says that the etcd which answers began with these. It is no part of the answer, and
// spares the client to take in again what it knows from another run.
func (r *RangeResponse) Know(in *Initial) { r.initial = in }

// Initial is what the etcd that answered began with, nil if that was little or is not known.
func (r *RangeResponse) Initial() *Initial { return r.initial }

// Shard is the shardSelector of KEP-5866: the objects of which a field has a hash from From on and below To. The zero
// value is no shard.
type Shard struct {
	// By is the field that is hashed, empty for the uid.
	By string
	// To is 0 for the end of all hashes.
	From, To uint64
}

// Holds reports whether a hash is in the shard.
func (s Shard) Holds(hash uint64) bool { return s.From <= hash && (s.To == 0 || hash < s.To) }

// HashOf is the hash of a field's value (sharding.HashField): FNV-1a of 64 bits.
func HashOf(value string) uint64 {
	hash := uint64(14695981039346656037)
	for i := range len(value) {
		hash = (hash ^ uint64(value[i])) * 1099511628211
	}
	return hash
}

// UID stands for metadata.uid: an object keeps it until it is deleted, and one that is created anew has another.
func (kv *KeyValue) UID() string { return itoa(kv.CreateRevision) + kv.Key }

// digest mixes the shard into d, if it is one.
func (s Shard) digest(d sim.Digest) sim.Digest {
	if s == (Shard{}) {
		return d
	}
	return d.Text("shard").Text(s.By).Word(s.From).Word(s.To)
}

// String is how it stands behind a request, with a space before it; empty if it is no shard.
func (s Shard) String() string {
	if s == (Shard{}) {
		return ""
	}
	by, to := s.By, "end"
	if by == "" {
		by = "uid"
	}
	if s.To != 0 {
		to = strconv.FormatUint(s.To, 16)
	}
	return " shard of " + by + " " + strconv.FormatUint(s.From, 16) + ".." + to
}

// RangeStreamRequest is the request of etcd's KV.RangeStream: a Range whose answer comes in
// parts, on a stream of its own. The server closes it behind the last part.
type RangeStreamRequest struct{ Range *RangeRequest }

func (r *RangeStreamRequest) Digest(d sim.Digest) sim.Digest { return r.Range.Digest(d.Text("stream")) }
func (r *RangeStreamRequest) Label() string                  { return "streamed " + r.Range.Label() }

// RangeStreamResponse is etcdserverpb.RangeStreamResponse: a part of the answer. Only the last
// one has a header with a Revision, More and Count, which are those of all parts together.
type RangeStreamResponse struct {
	// Revision is 0 in a part that has no header.
	Revision int64
	Kvs      []*KeyValue
	More     bool
	Count    int64
}

func (r *RangeStreamResponse) Objects() int { return len(r.Kvs) }

func (r *RangeStreamResponse) Digest(d sim.Digest) sim.Digest {
	return digestKVs(d.Text("chunk").Int(r.Revision).Bool(r.More).Int(r.Count), r.Kvs)
}

func (r *RangeStreamResponse) Label() string {
	label := "chunk of " + strconv.Itoa(len(r.Kvs)) + " items"
	if r.Revision != 0 {
		label += ", the last, rev " + itoa(r.Revision)
	}
	return label
}
