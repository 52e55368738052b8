package workload

import (
	"time"

	"github.com/watchbed/watchbed/sim/option"
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
