package workload

import (
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options say which clients there are, and what they do.
type Options struct {
	// Writers write the watched keys, Writes each.
	Writers, Writes int
	// Txns and Deletes are among the writes, beside puts; Wide ones change all
	// watched keys at one revision. Rewrites delete them before that, in the same transaction.
	Txns, Deletes, Wide, Rewrites bool
	// Noise are clients that write keys which no cache holds, NoiseWrites each,
	// within NoiseFor when timed.
	Noise, NoiseWrites int
	NoiseFor           time.Duration
	// NoiseBeside has them write next to the keys of the first resource.
	NoiseBeside bool

	// Readers list Reads times, with Gets GETs between them.
	Readers, Reads, Gets int
	// Read is what readers ask for: "consistent", "any" (resourceVersion 0),
	// "most-recent" (resourceVersion 0 and resourceVersionMatch MostRecent),
	// "not-older" (the revision of the initial contents or later), "seen" (consistent, and
	// then the revision that the client has seen or later, in turn), or "every":
	// one way after the other; or "page", the first page of the newest state and
	// no more of it; or "pages", that state page by page; or
	// "past", earlier states exactly and in pages; or "selected", consistently and by a
	// field with an index, or "filtered", by one without, or
	// "filtered-pages", the same page by page.
	Read string
	// PageLimit is how many objects a page has that readers ask for; 0 is one.
	PageLimit int
	// AsConsistent holds reads to what consistent ones promise, whatever they
	// asked for.
	AsConsistent bool
	// ReadFrom is when readers begin, timed.
	ReadFrom time.Duration
	// Move has readers go to the next API server with every read.
	Move bool
	// MovePages has them request each page of the next API server.
	MovePages bool
	// TakeRests has them go on with the token of a refusal when a page was compacted.
	TakeRests bool
	// OwnReaders write a key and then list it, Rounds times.
	OwnReaders, Rounds int

	// Watchers watch a cache. Leave is after how many events one leaves and watches
	// again; 0 is never.
	Watchers, Leave int
	Reading         ReadingOptions
	// WatchFor is the time after which a cache ends the watches of Watchers, in whole
	// seconds; 0 is never.
	WatchFor time.Duration
	// Unversioned clients watch a cache once, without a resourceVersion and without
	// asking for initial events. Etcd served such watches from Kubernetes 1.27 on
	// (kubernetes/kubernetes#115096), until 1.27.13, 1.28.9, 1.29.4 and 1.30 (#123935).
	Unversioned int
	// Present clients watch a cache from now on: without the present state, and with no
	// resourceVersion or with "0" in turn. They know when a watch is established, and watch
	// Presents times.
	Present, Presents int
	// Streams speak etcd's watch protocol themselves.
	Streams int
	// Compactions are what one client has etcd compact: revisions that are spread over
	// the run, or with CompactNewest the newest one each time, which the client reads first.
	Compactions   int
	CompactNewest bool

	// Keys is how many keys writers write, Items how many of them exist before the
	// run, History how many revisions of other keys came after those. Items share
	// Groups values of the fields by which clients select, or have one if that is 0.
	Keys, Items, Groups, History int
	// Apart has writers write the last resource only, and readers list the first.
	Apart bool
	// AwaitReady has clients of a cache begin when it is ready, as behind a load
	// balancer that asks /readyz.
	AwaitReady bool
	// Think is the longest pause of a client before an operation, timed.
	Think time.Duration

	Updating  UpdatingOptions
	ListWatch ListWatchOptions
	Polling   PollingOptions
	Drawn     DrawnOptions
}

// Group is all options of the clients.
var Group = option.Join(option.NewGroup("clients",
	option.Count("writers", func(o *Options) *int { return &o.Writers }, "", "clients that write the watched keys"),
	option.Count("writes", func(o *Options) *int { return &o.Writes }, "", "writes of each writer"),
	option.Switch("txns", func(o *Options) *bool { return &o.Txns }, "transactions among the writes, that create what does not exist"),
	option.Switch("deletes", func(o *Options) *bool { return &o.Deletes }, "deletes among the writes"),
	option.Switch("wide", func(o *Options) *bool { return &o.Wide }, "writes that change all watched keys at one revision among the writes"),
	option.Switch("rewrites", func(o *Options) *bool { return &o.Rewrites }, "writes that delete all keys and put the watched ones again at one revision among the writes"),
	option.Count("noise", func(o *Options) *int { return &o.Noise }, "", "clients that write keys which no cache holds"),
	option.Count("noise-writes", func(o *Options) *int { return &o.NoiseWrites }, "", "writes of each of them"),
	option.Duration("noise-for", func(o *Options) *time.Duration { return &o.NoiseFor }, "", "how long noise goes on, timed"),
	option.Switch("noise-beside", func(o *Options) *bool { return &o.NoiseBeside }, "noise writes keys next to those of the first resource"),
	option.Count("readers", func(o *Options) *int { return &o.Readers }, "", "clients that list"),
	option.Count("reads", func(o *Options) *int { return &o.Reads }, "", "lists of each reader"),
	option.Count("gets", func(o *Options) *int { return &o.Gets }, "", "gets of each reader, between its lists"),
	option.Words("read", func(o *Options) *string { return &o.Read }, "what readers ask for",
		option.Val("consistent", "the newest state: no resourceVersion"),
		option.Val("any", "state of any age: resourceVersion 0"),
		option.Val("most-recent", "resourceVersion 0 with resourceVersionMatch MostRecent"),
		option.Val("not-older", "the revision of the contents before the run, or later"),
		option.Val("seen", "in turn the newest state, and the revision that the client has seen or later"),
		option.Val("every", "one way after the other"),
		option.Val("page", "the first page of the newest state, and no more of it"),
		option.Val("pages", "the newest state, page by page"),
		option.Val("past", "earlier states, exactly and in pages"),
		option.Val("selected", "the newest state, by a field with an index"),
		option.Val("filtered", "the newest state, by a field without an index"),
		option.Val("filtered-pages", "the same page by page")),
	option.Count("page-limit", func(o *Options) *int { return &o.PageLimit }, "1", "objects in a page that readers ask for"),
	option.Switch("as-consistent", func(o *Options) *bool { return &o.AsConsistent }, "hold all reads to what consistent ones promise"),
	option.Duration("read-from", func(o *Options) *time.Duration { return &o.ReadFrom }, "", "when readers begin, timed"),
	option.Switch("move", func(o *Options) *bool { return &o.Move }, "readers go to the next API server with every read"),
	option.Switch("move-pages", func(o *Options) *bool { return &o.MovePages }, "readers request each page of the next API server"),
	option.Switch("take-rests", func(o *Options) *bool { return &o.TakeRests }, "readers whose page was compacted list the rest with the token of the refusal"),
	option.Count("own-readers", func(o *Options) *int { return &o.OwnReaders }, "", "clients that write and then list what they wrote"),
	option.Count("rounds", func(o *Options) *int { return &o.Rounds }, "", "rounds of each of them"),
	option.Count("watchers", func(o *Options) *int { return &o.Watchers }, "", "clients that watch a cache"),
	option.Count("leave", func(o *Options) *int { return &o.Leave }, "never", "events after which a watcher leaves and watches again"),
	option.Duration("watch-for", func(o *Options) *time.Duration { return &o.WatchFor }, "never", "time after which a cache ends a watcher's watch"),
	option.Count("unversioned-watchers", func(o *Options) *int { return &o.Unversioned }, "", "clients that watch a cache without a resourceVersion"),
	option.Count("present-watchers", func(o *Options) *int { return &o.Present }, "", "clients that watch a cache from now on, without the present state"),
	option.Count("present-watches", func(o *Options) *int { return &o.Presents }, "", "watches of each of them, one after the other"),
	option.Count("streams", func(o *Options) *int { return &o.Streams }, "", "clients that speak etcd's watch protocol themselves"),
	option.Count("compactions", func(o *Options) *int { return &o.Compactions }, "", "compactions by a client"),
	option.Switch("compact-newest", func(o *Options) *bool { return &o.CompactNewest }, "each of them is of the newest revision, which the client reads first, and not of one that was planned"),
	option.Count("keys", func(o *Options) *int { return &o.Keys }, "", "keys that writers write"),
	option.Count("items", func(o *Options) *int { return &o.Items }, "", "keys that exist before the run"),
	option.Count("groups", func(o *Options) *int { return &o.Groups }, "1", "values of the fields that clients select by, among the keys that exist before the run"),
	option.Count("history", func(o *Options) *int { return &o.History }, "", "revisions of other keys before the run"),
	option.Switch("apart", func(o *Options) *bool { return &o.Apart }, "writers write the last resource only, and readers list the first"),
	option.Switch("await-ready", func(o *Options) *bool { return &o.AwaitReady }, "clients of a cache begin when it is ready, as behind a load balancer"),
	option.Duration("think", func(o *Options) *time.Duration { return &o.Think }, "", "longest pause of a client before an operation, timed"),
),
	option.Lift(updatingGroup, func(o *Options) *UpdatingOptions { return &o.Updating }),
	option.Lift(readingGroup, func(o *Options) *ReadingOptions { return &o.Reading }),
	option.Lift(listWatchGroup, func(o *Options) *ListWatchOptions { return &o.ListWatch }),
	option.Lift(pollingGroup, func(o *Options) *PollingOptions { return &o.Polling }),
	option.Lift(drawnGroup, func(o *Options) *DrawnOptions { return &o.Drawn }),
)

// Select reports whether clients select objects by a field.
func (o *Options) Select() bool {
	return o.Drawn.Selectors || o.Read == "selected" || o.Read == "filtered" || o.Read == "filtered-pages"
}

// ObjectWrites is how many writes there are of watched keys.
func (o *Options) ObjectWrites() int {
	return o.Writers*o.Writes + o.OwnReaders*o.Rounds + o.Updating.Clients*o.Updating.Updates
}

// TotalWrites is how many writes there are in all.
func (o *Options) TotalWrites() int64 {
	return int64(o.ObjectWrites() + o.Noise*o.NoiseWrites + o.Drawn.OfEtcd*o.Drawn.Requests)
}

// FirstRevision is that of the contents before the run.
func (o *Options) FirstRevision() int64 { return 1 + int64(o.Items+o.History) }

// OfCache is how many clients talk to a cache.
func (o *Options) OfCache() int {
	return o.Readers + o.OwnReaders + o.Updating.Clients + o.Watchers + o.ListWatch.Clients + o.Polling.Clients + o.Drawn.OfCache + o.Drawn.Watchers + o.Unversioned + o.Present
}

// Size is how many objects and operations a run has: what its memory depends on.
func (o *Options) Size() int64 {
	reads := (o.Readers + o.OwnReaders + o.Polling.Clients) * (o.Reads + o.Gets + o.Rounds)
	return o.FirstRevision() + o.TotalWrites() + int64(reads) + int64(o.Keys)
}

// Total is how many clients there are.
func (o *Options) Total() int { return o.OfCache() + o.Writers + o.Noise + o.Streams + o.Drawn.OfEtcd }

// DrawnOptions are about clients that draw their requests from all that there are,
// anew in each run.
type DrawnOptions struct {
	// OfCache is how many clients send LISTs and GETs to a cache, OfEtcd how many send
	// reads and writes to etcd, and Watchers how many watch a cache.
	OfCache, OfEtcd, Watchers int
	// Requests is how many requests each of them sends.
	Requests int
	// LargeBytes is the length of a large value, in bytes: values have up to twice as
	// many. 0 is no large values.
	LargeBytes int
	// Nested: transactions of OfEtcd may be within transactions, and puts may keep the
	// value that is there.
	Nested bool
	// Leases: OfEtcd grant, revoke and renew leases, and put keys on them.
	Leases bool
	// Physical: compactions of OfEtcd may ask for the answer when all is removed.
	Physical bool
	// Selectors: LISTs and watches may select objects by a field, and clients that watch
	// without drawing select those of the first writers.
	Selectors bool
	// Labels: with Selectors, they may select objects by a label as well.
	Labels bool
	// Terms: with Selectors, selectors may have several terms.
	Terms bool
	// Singles: LISTs and watches may be of one object. KeysOnly: LISTs may be of keys alone.
	Singles, KeysOnly bool
	// Seed gives what is drawn in the place of the run, so that each run has the same requests; 0 is that
	// the run does. A search of every schedule takes requests for fixed.
	Seed int
}

var drawnGroup = option.NewGroup("clients",
	option.Count("drawn-readers", func(o *DrawnOptions) *int { return &o.OfCache }, "", "clients that draw LISTs and GETs of a cache"),
	option.Count("drawn-clients", func(o *DrawnOptions) *int { return &o.OfEtcd }, "", "clients that draw reads and writes of etcd"),
	option.Count("drawn-watchers", func(o *DrawnOptions) *int { return &o.Watchers }, "", "clients that draw watches of a cache"),
	option.Count("drawn-requests", func(o *DrawnOptions) *int { return &o.Requests }, "", "requests that each of them draws"),
	option.Count("drawn-bytes", func(o *DrawnOptions) *int { return &o.LargeBytes }, "", "bytes of a large value that they write"),
	option.Switch("drawn-keys", func(o *DrawnOptions) *bool { return &o.KeysOnly }, "LISTs of keys alone among what they draw"),
	option.Switch("drawn-labels", func(o *DrawnOptions) *bool { return &o.Labels }, "with drawn-selectors: also by a label, or by both"),
	option.Switch("drawn-leases", func(o *DrawnOptions) *bool { return &o.Leases }, "leases, and puts on them, among what they draw"),
	option.Switch("drawn-nested", func(o *DrawnOptions) *bool { return &o.Nested }, "transactions within transactions, and puts that keep the value, among what they draw"),
	option.Switch("drawn-physical", func(o *DrawnOptions) *bool { return &o.Physical }, "compactions that are answered when all is removed among what they draw"),
	option.Count("drawn-seed", func(o *DrawnOptions) *int { return &o.Seed }, "each run draws anew", "what clients draw is given by this seed, and is the same in each run"),
	option.Switch("drawn-selectors", func(o *DrawnOptions) *bool { return &o.Selectors }, "LISTs and watches by a field among what they draw"),
	option.Switch("drawn-singles", func(o *DrawnOptions) *bool { return &o.Singles }, "LISTs and watches of one object among what they draw"),
	option.Switch("drawn-terms", func(o *DrawnOptions) *bool { return &o.Terms }, "with drawn-selectors: also by several terms"),
)

// ListWatchOptions are about raw clients that ask for initial events (KEP-3157).
type ListWatchOptions struct {
	// Clients is how many there are, Rounds how often each asks.
	Clients, Rounds int
	// RV is the resourceVersion that they ask for: "unset", "0", "given" (the newest
	// that the client knows), or "every": one way after the other.
	RV string
	// Slow clients take one event at a time, Pace apart when timed.
	Slow bool
	Pace time.Duration
	// For is the time after which a cache ends their watches, in whole seconds; 0 is never.
	For time.Duration
	// Within is how soon the end has to come for the property initial-events-end; 0
	// derives it from the declared delays.
	Within time.Duration
}

var listWatchGroup = option.NewGroup("clients",
	option.Count("list-watchers", func(o *ListWatchOptions) *int { return &o.Clients }, "", "clients that ask for initial events"),
	option.Count("list-rounds", func(o *ListWatchOptions) *int { return &o.Rounds }, "", "times that each of them asks"),
	option.Words("list-rv", func(o *ListWatchOptions) *string { return &o.RV }, "resourceVersion that they ask for",
		option.Val("unset", "none: state as new as etcd"),
		option.Val("0", "any: state of any age"),
		option.Val("given", "the newest that the client knows: state not older"),
		option.Val("every", "one after the other")),
	option.Switch("list-slow", func(o *ListWatchOptions) *bool { return &o.Slow }, "they take one event at a time"),
	option.Duration("list-pace", func(o *ListWatchOptions) *time.Duration { return &o.Pace }, "", "time between two of these, timed"),
	option.Duration("list-for", func(o *ListWatchOptions) *time.Duration { return &o.For }, "never", "time after which a cache ends their watches"),
	option.Duration("list-within", func(o *ListWatchOptions) *time.Duration { return &o.Within }, "derived from the delays", "how soon initial events have to end, timed"),
)

// Versions are the resourceVersions that a client asks for, in turn.
func (o *ListWatchOptions) Versions() []int64 { return listVersions[o.RV] }

var listVersions = map[string][]int64{
	"": {wire.Unset}, "unset": {wire.Unset}, "0": {0}, "given": {Given}, "every": {wire.Unset, 0, Given},
}

// PollingOptions are about clients that list again and again, and do not give up.
type PollingOptions struct {
	// Clients is how many there are. They are spread over the API servers.
	Clients int
	// Patience is how long one waits for an answer, and what the API server allows a
	// request.
	Patience time.Duration
	// Honour: a client that is refused waits for the Retry-After of the answer.
	Honour bool
	// Settle is how long after the faults clients may still be refused: the property
	// recovers-in-time judges what they ask later.
	Settle time.Duration
}

var pollingGroup = option.NewGroup("clients",
	option.Count("pollers", func(o *PollingOptions) *int { return &o.Clients }, "", "clients that list again and again, and do not give up"),
	option.Duration("patience", func(o *PollingOptions) *time.Duration { return &o.Patience }, "", "how long each of them waits for an answer, and an API server works on it"),
	option.Switch("honour", func(o *PollingOptions) *bool { return &o.Honour }, "they come back when retry-after says so"),
	option.Duration("settle", func(o *PollingOptions) *time.Duration { return &o.Settle }, "", "how long after the faults clients may still be refused"),
)

// UpdatingOptions are about clients that write through an API server.
type UpdatingOptions struct {
	// Clients is how many there are, spread over the API servers; Updates is how many writes each
	// of them asks for.
	Clients, Updates int
	// Kind is what they write: "add", each time a member to an object, or "every": they create
	// objects, add members to them, in every way, and delete them.
	Kind string
}

var updatingGroup = option.NewGroup("clients",
	option.Count("updaters", func(o *UpdatingOptions) *int { return &o.Clients }, "", "clients that write through an API server"),
	option.Count("updates", func(o *UpdatingOptions) *int { return &o.Updates }, "", "writes of each of them"),
	option.Words("update", func(o *UpdatingOptions) *string { return &o.Kind }, "what they write",
		option.Val("add", "each time one member more into an object"),
		option.Val("every", "objects that they create, add members to in every way, and delete")),
)

// amounts are the options that say how many clients there are of each kind, and then how
// much each of them does. What there is before the run is not among them.
var amounts = []string{
	"noise", "own-readers", "watchers", "unversioned-watchers", "present-watchers", "streams", "list-watchers", "pollers",
	"updaters", "drawn-readers", "drawn-clients", "drawn-watchers", "readers", "writers",
	"compactions", "noise-writes", "rounds", "present-watches", "list-rounds", "drawn-requests", "gets", "reads", "updates", "writes",
}

// Amounts are the names of the options that say how much clients do in all.
func Amounts() []string { return slices.Clone(amounts) }

// Less are workloads with a smaller amount, by its name: 0, 1, 2, 4 and so on.
func (o *Options) Less(name string) ([]Options, error) {
	amount, err := Group.Find(name)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(amount.Get(o))
	if err != nil {
		return nil, err
	}
	var less []Options
	for value := 0; value < n; value = max(1, 2*value) {
		with := *o
		if err := amount.Set(&with, strconv.Itoa(value)); err != nil {
			return nil, err
		}
		less = append(less, with)
	}
	return less, nil
}
