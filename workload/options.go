// Package workload (unstable) holds the clients of a scenario. Each is a node that carries out a
// fixed plan of operations and records its requests and their answers.
//
//	Client       writes and reads, one operation at a time
//	Watcher      watches a cache, and lists and watches again when that ends
//	ListWatcher  watches a cache with initial events (KEP-3157)
//	EtcdWatch    speaks etcd's own watch protocol
//	Poller       lists again and again, and does not give up
//
// The clients are not part of the system under test. The package imports sim,
// sim/wire and model only; it must never import sim/etcd, sim/client or sim/cache.
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
	Writers int  `option:"writers" doc:"clients that write the watched keys"`
	Writes  int  `option:"writes" doc:"writes of each writer"`
	Txns    bool `option:"txns" doc:"transactions among the writes, that create what does not exist"`
	Deletes bool `option:"deletes" doc:"deletes among the writes"`
	Wide    bool `option:"wide" doc:"writes that change all watched keys at one revision among the writes"`
	// DeletesAll: as keys of a lease go together.
	DeletesAll bool `option:"deletes-all" doc:"deletions of all objects at one revision among the writes"`
	Rewrites   bool `option:"rewrites" doc:"writes that delete all keys and put the watched ones again at one revision among the writes"`
	// WriteFrom: what begins to watch at the start has begun by then.
	WriteFrom time.Duration `option:"write-from" doc:"when writers begin, timed"`

	Noise       int           `option:"noise" doc:"clients that write keys which no cache holds"`
	NoiseWrites int           `option:"noise-writes" doc:"writes of each of them"`
	NoiseFor    time.Duration `option:"noise-for" doc:"how long noise goes on, timed"`
	NoiseBeside bool          `option:"noise-beside" doc:"noise writes keys next to those of the first resource"`

	Readers int `option:"readers" doc:"clients that list"`
	Reads   int `option:"reads" doc:"lists of each reader"`
	Gets    int `option:"gets" doc:"gets of each reader, between its lists"`
	// Read is what readers ask for.
	Read         string        `option:"read"`
	PageLimit    int           `option:"page-limit" zero:"1" doc:"objects in a page that readers ask for"`
	AsConsistent bool          `option:"as-consistent" doc:"hold all reads to what consistent ones promise"`
	ReadFrom     time.Duration `option:"read-from" doc:"when readers begin, timed"`
	Move         bool          `option:"move" doc:"readers go to the next API server with every read"`
	MovePages    bool          `option:"move-pages" doc:"readers request each page of the next API server"`
	TakeRests    bool          `option:"take-rests" doc:"readers whose page was compacted list the rest with the token of the refusal"`
	OwnReaders   int           `option:"own-readers" doc:"clients that write and then list what they wrote"`
	Rounds       int           `option:"rounds" doc:"rounds of each of them"`

	Watchers int `option:"watchers" doc:"clients that watch a cache"`
	Leave    int `option:"leave" zero:"never" doc:"events after which a watcher leaves and watches again"`
	// WatchFor is in whole seconds.
	WatchFor time.Duration `option:"watch-for" zero:"never" doc:"time after which a cache ends a watcher's watch"`
	// Unversioned clients watch once, and do not ask for initial events. Etcd served such watches from Kubernetes 1.27
	// on (kubernetes/kubernetes#115096), until 1.27.13, 1.28.9, 1.29.4 and 1.30 (#123935).
	Unversioned int `option:"unversioned-watchers" doc:"clients that watch a cache without a resourceVersion"`
	// Present clients give no resourceVersion or "0" in turn. They know when a watch is established.
	Present  int `option:"present-watchers" doc:"clients that watch a cache from now on, without the present state"`
	Presents int `option:"present-watches" doc:"watches of each of them, one after the other"`
	Streams  int `option:"streams" doc:"clients that speak etcd's watch protocol themselves"`
	// Compactions are of revisions that are spread over the run, unless CompactNewest.
	Compactions   int  `option:"compactions" doc:"compactions by a client"`
	CompactNewest bool `option:"compact-newest" doc:"each of them is of the newest revision, which the client reads first, and not of one that was planned"`

	Keys       int           `option:"keys" doc:"keys that writers write"`
	Items      int           `option:"items" doc:"keys that exist before the run"`
	Groups     int           `option:"groups" zero:"1" doc:"values of the fields that clients select by, among the keys that exist before the run"`
	History    int           `option:"history" doc:"revisions of other keys before the run"`
	Apart      bool          `option:"apart" doc:"writers write the last resource only, and readers list the first"`
	AwaitReady bool          `option:"await-ready" doc:"clients of a cache begin when it is ready, as behind a load balancer"`
	Think      time.Duration `option:"think" doc:"longest pause of a client before an operation, timed"`

	Updating  UpdatingOptions
	Reading   ReadingOptions
	ListWatch ListWatchOptions
	Polling   PollingOptions
	Drawn     DrawnOptions
}

// Group is all options of the clients.
var Group = option.Fields("clients",
	option.Words("read", func(o *Options) *string { return &o.Read }, "what readers ask for",
		option.Val("consistent", "the newest state: no resourceVersion"),
		option.Val("any", "state of any age: resourceVersion 0"),
		option.Val("most-recent", "resourceVersion 0 with resourceVersionMatch MostRecent"),
		option.Val("not-older", "the revision of the contents before the run, or later"),
		option.Val("seen", "in turn the newest state, and the revision that the client has seen or later"),
		option.Val("every", "one way after the other"),
		option.Val("whole", "in turn the newest state, state of any age, and the contents before the run, each without pages"),
		option.Val("page", "the first page of the newest state, and no more of it"),
		option.Val("pages", "the newest state, page by page"),
		option.Val("past", "earlier states, exactly and in pages"),
		option.Val("selected", "the newest state, by a field with an index"),
		option.Val("filtered", "the newest state, by a field without an index"),
		option.Val("filtered-pages", "the same page by page")),
	option.Words("update", func(o *Options) *string { return &o.Updating.Kind }, "what they write",
		option.Val("add", "each time one member more into an object"),
		option.Val("every", "objects that they create, add members to in every way, and delete"),
		option.Val("recreate", "objects that each update creates if there is none, and that they delete")),
	option.Words("watch-reading", func(o *Options) *string { return &o.Reading.Habit }, "how watchers take what they are sent",
		option.Val("fast", "each event as it comes"),
		option.Val("slow", "one event at a time; timed, watch-pace apart"),
		option.Val("hiccup", "as it comes, with one pause behind watch-stall-after events"),
		option.Val("stopped", "none behind watch-stall-after events, with the watch left open"),
		option.Val("every", "the first watcher is fast, the second slow, the third has a hiccup, the fourth stops, and so on")),
	option.Words("list-rv", func(o *Options) *string { return &o.ListWatch.RV }, "resourceVersion that they ask for",
		option.Val("unset", "none: state as new as etcd"),
		option.Val("0", "any: state of any age"),
		option.Val("given", "the newest that the client knows: state not older"),
		option.Val("every", "one after the other")),
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
	OfCache  int `option:"drawn-readers" doc:"clients that draw LISTs and GETs of a cache"`
	OfEtcd   int `option:"drawn-clients" doc:"clients that draw reads and writes of etcd"`
	Watchers int `option:"drawn-watchers" doc:"clients that draw watches of a cache"`
	Requests int `option:"drawn-requests" doc:"requests that each of them draws"`
	// LargeBytes: values have up to twice as many; 0 is no large values.
	LargeBytes int  `option:"drawn-bytes" doc:"bytes of a large value that they write"`
	KeysOnly   bool `option:"drawn-keys" doc:"LISTs of keys alone among what they draw"`
	Labels     bool `option:"drawn-labels" doc:"with drawn-selectors: also by a label, or by both"`
	Leases     bool `option:"drawn-leases" doc:"leases, and puts on them, among what they draw"`
	Nested     bool `option:"drawn-nested" doc:"transactions within transactions, and puts that keep the value, among what they draw"`
	Streams    bool `option:"drawn-range-streams" doc:"RangeStreams of etcd 3.7 among what they draw"`
	Physical   bool `option:"drawn-physical" doc:"compactions that are answered when all is removed among what they draw"`
	// Seed: a search of every schedule takes requests for fixed.
	Seed int `option:"drawn-seed" zero:"each run draws anew" doc:"what clients draw is given by this seed, and is the same in each run"`
	// Selectors: clients that watch without drawing select the objects of the first writers.
	Selectors bool `option:"drawn-selectors" doc:"LISTs and watches by a field among what they draw"`
	Singles   bool `option:"drawn-singles" doc:"LISTs and watches of one object among what they draw"`
	Terms     bool `option:"drawn-terms" doc:"with drawn-selectors: also by several terms"`
	Shards    bool `option:"drawn-shards" doc:"with drawn-selectors: also of a shard (KEP-5866)"`
}

// ListWatchOptions are about raw clients that ask for initial events (KEP-3157).
type ListWatchOptions struct {
	Clients int           `option:"list-watchers" doc:"clients that ask for initial events"`
	Rounds  int           `option:"list-rounds" doc:"times that each of them asks"`
	RV      string        `option:"list-rv"`
	Slow    bool          `option:"list-slow" doc:"they take one event at a time"`
	Pace    time.Duration `option:"list-pace" doc:"time between two of these, timed"`
	// For is in whole seconds.
	For time.Duration `option:"list-for" zero:"never" doc:"time after which a cache ends their watches"`
	// Within is that of the property initial-events-end.
	Within time.Duration `option:"list-within" zero:"derived from the delays" doc:"how soon initial events have to end, timed"`
}

// Versions are the resourceVersions that a client asks for, in turn.
func (o *ListWatchOptions) Versions() []int64 { return listVersions[o.RV] }

var listVersions = map[string][]int64{
	"": {wire.Unset}, "unset": {wire.Unset}, "0": {0}, "given": {Given}, "every": {wire.Unset, 0, Given},
}

// PollingOptions are about clients that list again and again, and do not give up. They are spread over the API servers.
type PollingOptions struct {
	Clients  int           `option:"pollers" doc:"clients that list again and again, and do not give up"`
	Patience time.Duration `option:"patience" doc:"how long each of them waits for an answer, and an API server works on it"`
	Honour   bool          `option:"honour" doc:"they come back when retry-after says so"`
	// Settle: the property recovers-in-time judges what they ask later.
	Settle time.Duration `option:"settle" doc:"how long after the faults clients may still be refused"`
}

// UpdatingOptions are about clients that write through an API server. They are spread over the API servers.
type UpdatingOptions struct {
	Clients int    `option:"updaters" doc:"clients that write through an API server"`
	Updates int    `option:"updates" doc:"writes of each of them"`
	Kind    string `option:"update"`
}

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
