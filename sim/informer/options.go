package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/controller"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Config is what one informer is made of.
type Config struct {
	Options
	Deviations Deviations
	// Prefix of the resource's keys; it ends in "/": "/registry/pods/".
	Prefix string
	// Servers are the API servers behind one address. The informer begins with
	// the first, and connects to the next one when its connection breaks or its
	// process restarts.
	Servers []sim.NodeID
	// AwaitReady makes a process wait until the API server is ready.
	AwaitReady bool
	// Shards are those that the informer follows, one after the other; none if it follows all objects. ShardKey is the
	// value that is hashed.
	Shards   []wire.Shard
	ShardKey func(*wire.KeyValue) string
}

func (c *Config) setDefaults() {
	if c.MinWatchTimeout == 0 {
		c.MinWatchTimeout = 5 * time.Minute
	}
}

// Options are everything about an informer that can be set by name. The zero value
// is what client-go does.
type Options struct {
	List ListMode
	// RV is the resourceVersion of a process's first request.
	RV InitialRV
	// Page is the number of objects in a page of the pager: 500 if it is 0.
	Page int
	// Check: the consistency detector compares the objects of a WatchList with a LIST
	// of the same resourceVersion (KUBE_WATCHLIST_INCONSISTENCY_DETECTOR).
	Check bool
	// Newest: the informer asks for the newest state after a 410 that ended a watch
	// (KEP-3157, "Steps followed by informers"). client-go names the last
	// resourceVersion once more.
	Newest bool
	// StreamPatience is how long the informer waits for the end of a stream's initial
	// events before it lists instead; 0 is for ever, as client-go, which only says so in
	// its log every 10 s.
	StreamPatience time.Duration
	// TooLarge is what follows a WatchList that is refused because the API server is not as new as
	// it has to be (504, "Too large resource version").
	TooLarge TooLarge
	// NoBookmarks leaves allowWatchBookmarks out of a WATCH: the resourceVersion moves with
	// events only. client-go asks for bookmarks.
	NoBookmarks bool
	// ListTimeout is how long after a LIST was sent the API server ends it, whether the
	// answer is on its way or not (--request-timeout, which is 60 s): client-go then reads
	// half a body, does not send the request again, and the ListAndWatch fails. The
	// informer itself has the timer here: the news of the end takes no time. 0 is never.
	ListTimeout time.Duration
	// MinWatchTimeout is the minimum time after which an informer ends its watch, 5 minutes
	// if it is 0; the maximum is twice as long. Untimed watches have no timeout.
	MinWatchTimeout time.Duration
	// NotOlder gives a LIST with a resourceVersion that resourceVersionMatch.
	// client-go gives none: that means the same without a limit, and exactly that
	// resourceVersion with one (kubernetes #133810).
	NotOlder bool
	// Shared is what there is between the Reflector and its store.
	Shared shared.Options
	// Controller: the first handler of a shared informer is a controller's.
	Controller bool
}

// ListMode is how an informer gets all objects.
type ListMode uint8

const (
	// ByListWatch lists them.
	ByListWatch ListMode = iota
	// ByWatchList streams them (the gate WatchListClient).
	ByWatchList
)

// String is the value's name.
func (m ListMode) String() string {
	if m == ByWatchList {
		return "watch-list"
	}
	return "list-watch"
}

// InitialRV is the resourceVersion of a process's first request.
type InitialRV uint8

const (
	// RVOfClientGo is client-go's: a LIST asks for any resourceVersion (kubernetes
	// #59848 is about that), and a WatchList for the newest.
	RVOfClientGo InitialRV = iota
	// RVAny is "0".
	RVAny
	// RVNewest is none.
	RVNewest
	// RVMostRecent is "0" with the resourceVersionMatch MostRecent (KEP-3157, the fix for
	// kubernetes/kubernetes#59848).
	RVMostRecent
)

// TooLarge is what follows such a refusal.
type TooLarge uint8

const (
	// TooLargeNewest is client-go's: another WatchList at once, of the newest state. That is a newer
	// one than before (kubernetes #139766).
	TooLargeNewest TooLarge = iota
	// TooLargeLists is what follows most other errors (kubernetes #120984): a LIST.
	TooLargeLists
)

// Group is all options of informers.
var Group = option.Join(option.NewGroup("informers",
	option.Choice("informer-list", func(o *Options) *ListMode { return &o.List }, "how informers get all objects",
		option.Val("list-watch", "they list, and then watch"),
		option.Val("watch-list", "they watch with initial events (KEP-3157)")),
	option.Choice("informer-rv", func(o *Options) *InitialRV { return &o.RV }, "the resourceVersion of an informer's first request",
		option.Val("client-go", "0 for a LIST, none for a WatchList"),
		option.Val("0", "any"),
		option.Val("unset", "the newest"),
		option.Val("most-recent", "0 with resourceVersionMatch=MostRecent, which asks for the newest (KEP-3157)")),
	option.Count("informer-page", func(o *Options) *int { return &o.Page }, "500", "objects in one page of an informer's list"),
	option.Switch("informer-check", func(o *Options) *bool { return &o.Check }, "informers compare a streamed list with a LIST"),
	option.Switch("informer-newest", func(o *Options) *bool { return &o.Newest }, `informers ask for RV="" as soon as a watch ended with 410 (KEP-3157's appendix)`),
	option.Duration("informer-stream-patience", func(o *Options) *time.Duration { return &o.StreamPatience }, "no end, as client-go",
		"how long an informer waits for the end of initial events before it lists"),
	option.Choice("informer-too-large", func(o *Options) *TooLarge { return &o.TooLarge },
		"what an informer does when its stream is refused because the API server is behind",
		option.Val("newest", "it asks for another stream at once, of the newest state: as client-go"),
		option.Val("list", "it lists, as after most other errors")),
	option.Switch("informer-no-bookmarks", func(o *Options) *bool { return &o.NoBookmarks }, "informers watch without bookmarks"),
	option.Duration("informer-list-timeout", func(o *Options) *time.Duration { return &o.ListTimeout }, "never",
		"time after which an informer's LIST is ended if not all of the answer has come (--request-timeout)"),
	option.Period("informer-watch-timeout", func(o *Options) *time.Duration { return &o.MinWatchTimeout }, "5m",
		"minimum time after which an informer ends its watch, timed; the maximum is twice as long (minWatchTimeout)"),
	option.Switch("informer-not-older", func(o *Options) *bool { return &o.NotOlder }, "informers list with resourceVersionMatch=NotOlderThan"),
),
	option.Lift(shared.Group, func(o *Options) *shared.Options { return &o.Shared }),
	option.NewGroup("informers", option.Switch("informer-controller", func(o *Options) *bool { return &o.Controller },
		"the first handler of a shared informer is that of a controller, which marks each object once (KEP-5647)")),
)

// initialVersion is the resourceVersion of a process's first request: a WatchList, or a LIST, also one in place of a
// WatchList that was refused.
func (o *Options) initialVersion(by ListMode) int64 {
	if o.RV == RVNewest || o.RV == RVOfClientGo && by == ByWatchList {
		return wire.Unset
	}
	return 0
}

// pageSize is the limit of the pager's requests.
func (o *Options) pageSize() int64 {
	if o.Page == 0 {
		return 500
	}
	return int64(o.Page)
}

// Deviations are how an informer, its queue and its controller differ from client-go v0.37.2.
type Deviations struct {
	// NewestAfterExpired: isTooLargeResourceVersionError does not count, and 504 does not make the Reflector ask
	// for the newest state.
	NewestAfterExpired bool
	ListsWhenBusy      bool
	IgnoresBookmarks   bool
	// LimitsWhole: the list that takes the place of expired pages has their limit (FullListIfExpired).
	LimitsWhole    bool
	ForgetsLimit   bool
	RetriesForever bool
	NeverPauses    bool
	// ComparesTransformed: the consistency detector removes the values of the objects of its list, as a transformer
	// does, and compares them with others.
	ComparesTransformed bool
	TakesAllShards      bool

	Shared     shared.Deviations
	Controller controller.Deviations
}

// Choices has an option for each deviation.
var Choices = option.Join(
	option.NewGroup("informers",
		option.Either("informer-unavailable", func(d *Deviations) *bool { return &d.NewestAfterExpired }, "the refusals of a list after which an informer asks for the newest state",
			option.Val("expired-or-too-large", "410, and 504 because no server has come as far: as shipped"),
			option.Bug("expired", "410 only (kubernetes#91073)")),
		option.Either("informer-busy-watch", func(d *Deviations) *bool { return &d.ListsWhenBusy }, "the errors of a watch after which an informer watches again, and does not list",
			option.Val("too-many-requests", "429: as shipped"),
			option.Bug("none", "none: 429 is followed by a list, too (kubernetes#100878)")),
		option.Either("informer-bookmarks", func(d *Deviations) *bool { return &d.IgnoresBookmarks }, "the events of a watch that move the resourceVersion of an informer",
			option.Val("taken", "all of them, bookmarks included: as shipped"),
			option.Bug("ignored", "all but bookmarks (python#1796)")),
		option.Either("informer-whole-list", func(d *Deviations) *bool { return &d.LimitsWhole }, "the limit of the list with which an informer replaces pages that expired",
			option.Val("unlimited", "none: as shipped"),
			option.Bug("limited", "that of a page (kubernetes#126770)")),
		option.Either("informer-next-page", func(d *Deviations) *bool { return &d.ForgetsLimit }, "the limit of the pages after the first of an informer's list",
			option.Val("limited", "that of the first: as shipped"),
			option.Bug("unlimited", "none: no release")),
		option.Either("informer-retries", func(d *Deviations) *bool { return &d.RetriesForever }, "how often an informer sends a request again that is refused with Retry-After",
			option.Val("ten", "ten times, then it is a failure of the list or watch: as shipped"),
			option.Bug("unlimited", "without end: no release")),
		option.Either("informer-pause", func(d *Deviations) *bool { return &d.NeverPauses }, "how long an informer waits after a failure",
			option.Val("backoff", "0.8 seconds to a minute, longer each time: as shipped"),
			option.Bug("none", "not at all: no release")),
		option.Either("informer-comparison", func(d *Deviations) *bool { return &d.ComparesTransformed }, "what the consistency detector of an informer compares with the objects of its stream",
			option.Val("listed", "the objects of its list: as shipped, without a transformer"),
			option.Bug("transformed", "those of its list without their values, as a transformer leaves them (kubernetes#135580)")),
		option.Either("informer-other-shards", func(d *Deviations) *bool { return &d.TakesAllShards }, "what becomes of objects of other shards that a server sends an informer which does not know of shards",
			option.Val("left-out", "the informer leaves them out: as shipped"),
			option.Bug("taken", "it takes them: client-go before 1.38")),
	),
	option.Lift(shared.Choices, func(d *Deviations) *shared.Deviations { return &d.Shared }),
	option.Lift(controller.Choices, func(d *Deviations) *controller.Deviations { return &d.Controller }),
)
