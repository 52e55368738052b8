package informer

import (
	"github.com/watchbed/watchbed/sim/informer/controller"
	"github.com/watchbed/watchbed/sim/informer/shared"
	"github.com/watchbed/watchbed/sim/option"
)

// Deviations are how an informer, its queue and its controller differ from client-go v0.37.2.
type Deviations struct {
	// NewestAfterExpired: isTooLargeResourceVersionError does not count, and 504 does not make the Reflector ask
	// for the newest state.
	NewestAfterExpired bool
	// ListsWhenBusy: isWatchErrorRetriable is false after 429.
	ListsWhenBusy bool
	// IgnoresBookmarks: handleAnyWatch keeps the resourceVersion of the last event.
	IgnoresBookmarks bool
	// LimitsWhole: the list that takes the place of expired pages has their limit (FullListIfExpired).
	LimitsWhole bool
	// ForgetsLimit: the pages after the first have no limit.
	ForgetsLimit bool
	// RetriesForever: rest.Request.maxRetries is none.
	RetriesForever bool
	// NeverPauses: a ListAndWatch follows a failed one at once.
	NeverPauses bool
	// ComparesTransformed: the consistency detector removes the values of the objects of its list, as a transformer
	// does, and compares them with others.
	ComparesTransformed bool
	// TakesAllShards: a list is taken for one of the shard though it does not say so, and each event of a watch.
	TakesAllShards bool

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
