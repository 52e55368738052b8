package dispatch

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/budget"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
)

// Options is how a design treats watches: a value for each option of Group. The
// zero value is what k8s.io/apiserver ships.
type Options struct {
	InitialEventsEnd InitialEventsEnd
	Buffer           Buffer
	Detection        WatchListDetection
	Delegation       Delegation
	Registration     Registration
	OldestWatch      OldestWatch
	Teardown         Teardown
	WatchTrigger     WatchTrigger
	Announcement     Announcement
	BudgetBound      budget.Bound
	SlowWatchers     SlowWatcher
	HardStop         HardStop
}

// Group is all options in which designs differ.
var Group = option.NewGroup("cache",
	option.SeamOption(InitialEventsEnds, func(o *Options) *InitialEventsEnd { return &o.InitialEventsEnd }),
	option.SeamOption(Delegations, func(o *Options) *Delegation { return &o.Delegation }),
	option.SeamOption(Buffers, func(o *Options) *Buffer { return &o.Buffer }),
	option.SeamOption(Detections, func(o *Options) *WatchListDetection { return &o.Detection }),
	option.SeamOption(OldestWatches, func(o *Options) *OldestWatch { return &o.OldestWatch }),
	option.SeamOption(Registrations, func(o *Options) *Registration { return &o.Registration }),
	option.SeamOption(Teardowns, func(o *Options) *Teardown { return &o.Teardown }),
	option.SeamOption(Triggers, func(o *Options) *WatchTrigger { return &o.WatchTrigger }),
	option.SeamOption(Announcements, func(o *Options) *Announcement { return &o.Announcement }),
	option.SeamOption(budget.Bounds, func(o *Options) *budget.Bound { return &o.BudgetBound }),
	option.SeamOption(SlowWatchers, func(o *Options) *SlowWatcher { return &o.SlowWatchers }),
	option.SeamOption(HardStops, func(o *Options) *HardStop { return &o.HardStop }),
)

// Amounts are sizes and times. Those left at zero take the values of
// k8s.io/apiserver.
type Amounts struct {
	// IncomingCapacity is that of the channel between ingestion and dispatcher:
	// 100. The reflector puts two entries there for each change of an object.
	IncomingCapacity int
	// WatchCapacity is that of each of a watcher's two channels. At zero it
	// follows the history's capacity, as upstream: a second's worth, between 10
	// and maxChannelSize.
	WatchCapacity int
	// InitialEventsBytes bounds the keys and values in the channel of a watcher
	// that sends its initial events, with BufferCapped: 2 MB, the constant of
	// KEP-3157's goals.
	InitialEventsBytes int
	// CloseEnoughTimeout is how long a watch waits for the cache to be close
	// enough, with BufferCloseEnough: 10 s.
	CloseEnoughTimeout sim.Duration
	// NotifiedWithin is how long a cache goes on to rely on progress notifications
	// with watch-list-detection=notified: 11 s.
	NotifiedWithin sim.Duration
	// CatchUpWatchers, CatchUpUnits and CatchUpPushes bound one pass of slow-watchers=groups:
	// how many watchers it serves (512), how much of the history it reads (2000: an event is
	// one unit, and opening it 64), and how many events it gives to watchers (2000).
	CatchUpWatchers, CatchUpUnits, CatchUpPushes int
	// BookmarkPeriod is the time between two bookmarks to one watcher: 60 s.
	BookmarkPeriod sim.Duration
}

// leastUnits are those of a pass that opens the history and reads one event of it. With less
// no watcher would be served ever again.
const leastUnits = 65

// AmountGroup is the amounts that scenarios set.
var AmountGroup = option.NewGroup("cache",
	option.Count("incoming", func(a *Amounts) *int { return &a.IncomingCapacity }, "100", "events between ingestion and dispatcher of a cache"),
	option.Count("watch-buf", func(a *Amounts) *int { return &a.WatchCapacity }, "10", "events in each of the two channels of a cache's watcher"),
	option.Period("bookmark-period", func(a *Amounts) *time.Duration { return &a.BookmarkPeriod }, "1m", "time between two bookmarks to a watcher (defaultBookmarkFrequency)"),
	option.Period("close-enough-timeout", func(a *Amounts) *time.Duration { return &a.CloseEnoughTimeout }, "10s", "how long a watch waits for the cache to be close enough, with initial-events-buffer=close-enough"),
	option.Period("notified-within", func(a *Amounts) *time.Duration { return &a.NotifiedWithin }, "11s", "how long a cache relies on a progress notification, with watch-list-detection=notified"),
	option.Count("catch-up-watchers", func(a *Amounts) *int { return &a.CatchUpWatchers }, "512", "watchers that one pass catches up, with slow-watchers=groups"),
	option.Count("catch-up-units", func(a *Amounts) *int { return &a.CatchUpUnits }, "2000", "units of its history that one pass reads, with slow-watchers=groups: an event is one, and opening it 64").From(leastUnits),
	option.Count("catch-up-pushes", func(a *Amounts) *int { return &a.CatchUpPushes }, "2000", "events that one pass gives to watchers, with slow-watchers=groups"),
	option.Count("list-cap", func(a *Amounts) *int { return &a.InitialEventsBytes }, "2 MB", "bytes of keys and values in the channel of a watcher with initial-events-buffer=cap"),
)

func (a *Amounts) setDefaults() {
	set(&a.IncomingCapacity, 100)
	set(&a.CatchUpWatchers, 512)
	set(&a.CatchUpUnits, 2000)
	set(&a.CatchUpPushes, 2000)
	set(&a.InitialEventsBytes, 2_000_000)
	set(&a.CloseEnoughTimeout, 10*time.Second)
	set(&a.NotifiedWithin, 11*time.Second)
	set(&a.BookmarkPeriod, time.Minute)
}

func set[T int | sim.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// Config is what one dispatcher is made of.
type Config struct {
	Options
	Amounts
	Numbers
	// Upstream is the node that takes watches which etcd serves.
	Upstream sim.NodeID
	// UpstreamMetadata names the gRPC stream on which etcd serves them.
	UpstreamMetadata string
	// Fields are those by which watches can select objects. The first that is indexed
	// has a trigger.
	Fields store.Fields
	// WithoutWatchList: the gate WatchList is off, so initial events cannot be
	// asked for.
	WithoutWatchList bool
	// EventFreshDuration is how long the history shall keep events; the capacity
	// of a watcher's channels follows from it.
	EventFreshDuration sim.Duration
	// EntriesOfChange is how many entries a change takes in the incoming channel; 0 stands for 2.
	EntriesOfChange int

	Store        *store.Store
	Surroundings Surroundings
}
