package dispatch

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/request"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Options is how a design treats watches: a value for each option of Group. The
// zero value is what k8s.io/apiserver ships.
type Options struct {
	Buffer       Buffer
	Detection    WatchListDetection
	Delegation   Delegation
	SlowWatchers SlowWatcher
	// EndByTimer: the cache sends at once what it holds, and the bookmark when the bookmark
	// timer finds that the dispatcher is far enough (KEP-3157, steps 2a to 2c). No watch
	// waits for the cache meanwhile, so etcd is not asked for progress
	// (kubernetes/kubernetes#122805).
	EndByTimer bool

	EmptyHistory          EmptyHistory
	UncheckedRegistration bool
	// StrandsWatches: watches stay open when their cache is replaced, as that of a custom resource is whose definition
	// changed.
	StrandsWatches     bool
	TriggersByNewValue bool
	AnnouncesEarly     bool
	UnboundedBudget    bool
	// StartsAtOnce: a watch that has waited for the cache begins under the same lock, and its initial events are the
	// first item of its channel.
	StartsAtOnce   bool
	ReopensStopped bool
}

// EmptyHistory is from where a watch is accepted while the history is empty.
type EmptyHistory uint8

const (
	refusesOlder EmptyHistory = iota
	takesAny
	offByOne
)

// Group is all options in which designs differ.
var Group = option.NewGroup("cache",
	option.Either("initial-events-end", func(o *Options) *bool { return &o.EndByTimer }, "how a watcher learns that it has all initial events",
		option.Val("interval", "the cache waits until it is fresh, then sends what it has with the bookmark behind it: as shipped"),
		option.Val("timer", "the cache sends at once what it has; the bookmark timer finds the cache fresh enough later (KEP-3157, steps 2a to 2c). No progress is requested meanwhile")),
	option.Choice("watch-delegation", func(o *Options) *Delegation { return &o.Delegation }, "which watches etcd serves",
		option.Off("none", "none: the initial events of a watch without options may be stale"),
		option.Val("unset", "those without options (Kubernetes 1.27, kubernetes#115096; KEP-2340, the WATCH table, deferred)"),
		option.Val("all", "all, as for a resource without a watch cache")),
	option.SeamOption(Buffers, func(o *Options) *Buffer { return &o.Buffer }),
	option.Choice("watch-list-detection", func(o *Options) *WatchListDetection { return &o.Detection },
		"whether a watch with initial events is refused while etcd seems to send no progress (KEP-3157, Beta)",
		option.Off("off", "it is not, and may hang; version-check asks what etcd is"),
		option.Val("notified", "it is, until progress has come and while none has come for 11 s: two periods of 5 s with etcd's jitter"),
		option.Val("unasked", "the same, without the progress that comes up to 1 s after the cache has asked for some")),
	option.Choice("empty-history", func(o *Options) *EmptyHistory { return &o.EmptyHistory },
		"from where a watch is accepted while the history is empty, as it is after every list",
		option.Val("refuses-older", "from the list's resourceVersion on"),
		option.Bug("takes-any", "from anywhere, with the events between missing (etcd#20488)"),
		option.Bug("off-by-one", "from one before it, whose event the watcher then misses (kubernetes#49956)")),
	option.Either("registration", func(o *Options) *bool { return &o.UncheckedRegistration },
		"what becomes of a watch that finds the cache started over when it has the locks",
		option.Val("rechecked", "it ends at once"),
		option.Bug("unchecked", "it is registered and misses what happened in between (kubernetes#116122)")),
	option.Either("teardown", func(o *Options) *bool { return &o.StrandsWatches }, "what becomes of watches when their cache is replaced by a new one",
		option.Val("ends-watches", "they end"),
		option.Bug("strands-watches", "they stay open and are sent nothing (kubernetes#78029)")),
	option.Either("watch-trigger", func(o *Options) *bool { return &o.TriggersByNewValue },
		"which events are given to a watch that selects by the field that the resource is indexed by",
		option.Val("both", "those of objects that have its value after the change, or had it before"),
		option.Bug("after", "those of objects that have its value after the change")),
	option.Either("watch-established", func(o *Options) *bool { return &o.AnnouncesEarly }, "when the answer to a watch begins, the HTTP 200",
		option.Val("registered", "when the watch is registered: its beginning is fixed"),
		option.Bug("accepted", "when the request is accepted: the watch may begin later")),
	option.Either("watch-start", func(o *Options) *bool { return &o.StartsAtOnce }, "how a watch begins that has waited for the cache to be fresh",
		option.Val("apart", "it takes the lock again, and its goroutine has its initial events"),
		option.Val("at-once", "under the same lock; its initial events, with the bookmark that ends them, take a place in its channel until its goroutine begins: as v0.38.0-beta.0 ships it")),
	option.Either("dispatch-budget", func(o *Options) *bool { return &o.UnboundedBudget },
		"how long the dispatcher waits at most for watches that do not keep up",
		option.Val("capped", "100 ms, of which it earns 50 ms a second"),
		option.Bug("unbounded", "as long as it has saved: no release")),
	option.SeamOption(SlowWatchers, func(o *Options) *SlowWatcher { return &o.SlowWatchers }),
	option.Either("hard-stop", func(o *Options) *bool { return &o.ReopensStopped },
		"what becomes of a stopped watcher that is to be drained before the dispatcher gets to its end",
		option.Val("kept", "it ends"),
		option.Bug("reopened", "it is drained, and waits for its client for ever (kubernetes#137631)")),
)

// Amounts are sizes and times. Those left at zero take the values of
// k8s.io/apiserver.
type Amounts struct {
	// IncomingCapacity: the reflector puts two entries there for each change of an object.
	IncomingCapacity int `option:"incoming" zero:"100" doc:"events between ingestion and dispatcher of a cache"`
	// WatchCapacity at zero follows the history's capacity, as upstream: a second's worth, between 10 and
	// maxChannelSize.
	WatchCapacity  int          `option:"watch-buf" zero:"10 or more" doc:"events in each of the two channels of a cache's watcher"`
	BookmarkPeriod sim.Duration `option:"bookmark-period" zero:"1m" least:"1ms" doc:"time between two bookmarks to a watcher (defaultBookmarkFrequency)"`

	CloseEnoughTimeout sim.Duration `option:"close-enough-timeout" zero:"10s" least:"1ms" doc:"how long a watch waits for the cache to be close enough, with initial-events-buffer=close-enough"`
	NotifiedWithin     sim.Duration `option:"notified-within" zero:"11s" least:"1ms" doc:"how long a cache relies on a progress notification, with watch-list-detection=notified"`

	CatchUpWatchers int `option:"catch-up-watchers" zero:"512" doc:"watchers that one pass catches up, with slow-watchers=groups"`
	// CatchUpUnits: with less than openingUnits and one event no watcher would be served ever again.
	CatchUpUnits  int `option:"catch-up-units" zero:"2000" least:"65" doc:"units of its history that one pass reads, with slow-watchers=groups: an event is one, and opening it 64"`
	CatchUpPushes int `option:"catch-up-pushes" zero:"2000" doc:"events that one pass gives to watchers, with slow-watchers=groups"`
	// InitialEventsBytes is the constant of KEP-3157's goals.
	InitialEventsBytes int `option:"list-cap" zero:"2 MB" doc:"bytes of keys and values in the channel of a watcher with initial-events-buffer=cap"`
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
	Shards request.Shards
	// WithoutWatchList: the gate WatchList is off, so initial events cannot be
	// requested.
	WithoutWatchList bool
	// EventFreshDuration is how long the history shall keep events; the capacity
	// of a watcher's channels follows from it.
	EventFreshDuration sim.Duration
	// OneEntryOfChange: UpdateResourceVersion returns early after a change, and puts no entry into the incoming
	// channel.
	OneEntryOfChange bool

	Parts
}

// Parts are those of the cache that a dispatcher works with.
type Parts struct {
	Ready *read.Ready
	Guard *guard.Guard
	Flow  *flowcontrol.Level
	Store *store.Store
	Reads *read.Delegator
}

// Numbers are those of the node's tasks and timers that a dispatcher uses.
type Numbers struct {
	// Dispatch is the task of the dispatcher, HandOver the task that is to run when
	// the incoming channel has room again.
	Dispatch, HandOver sim.Task
	// Budget and Bookmark are the dispatcher's timers.
	Budget, Bookmark sim.Timer
	// Watcher returns the task and the timer of a watcher.
	Watcher func(number int) (sim.Task, sim.Timer)
}

// WatchListDetection says how a cache finds out whether etcd sends progress, without which
// initial events may never end (KEP-3157, "Beta": "automatically detecting etcd configuration"; it
// asks "if the experimental-watch-progress-notify-interval flag has been set").
type WatchListDetection uint8

// The values of watch-list-detection. DetectNotified and DetectUnasked go by what etcd sends.
const (
	DetectOff WatchListDetection = iota
	DetectNotified
	DetectUnasked
)

// heardProgress: etcd is taken to send progress by itself if some has come lately. etcd's ticker
// leaves out a watch that was sent an event since the last tick, so one period is too
// short, and a resource that is written all the time looks like an etcd that sends
// none. An answer to a request looks like any other progress, and requests end with the
// reads that wait: while a LIST waits, an etcd that sends no progress by itself seems
// to send some, unless requested progress does not count.
type heardProgress struct {
	// heard: progress has come that counts, the last at this time.
	heard bool
	last  sim.Time
	// asked: the cache has asked for progress, the last time then.
	asked   bool
	lastAsk sim.Time
}

// answerWithin is how long after a request progress is taken for the answer.
const answerWithin = time.Second

// heardProgress is called when progress of etcd has come out of the incoming channel.
func (d *Dispatcher) heardProgress(env *sim.Env) {
	switch d.cfg.Detection {
	case DetectOff:
		return
	case DetectUnasked:
		if p := d.progress.Read(env); p.asked && !env.Elapsed(p.lastAsk, answerWithin) {
			return
		}
	}
	p := d.progress.Change(env)
	p.heard, p.last = true, env.Now()
}

// ProgressRequested is called when the cache has asked etcd for progress.
func (d *Dispatcher) ProgressRequested(env *sim.Env) {
	if d.cfg.Detection != DetectOff {
		p := d.progress.Change(env)
		p.asked, p.lastAsk = true, env.Now()
	}
}

// seemsSilent: etcd seems to send no progress, so a watch with initial events is refused. A
// client-go that is refused lists instead.
func (d *Dispatcher) seemsSilent(env *sim.Env) bool {
	if d.cfg.Detection == DetectOff {
		return false
	}
	p := d.progress.Read(env)
	return !p.heard || env.Elapsed(p.last, d.cfg.NotifiedWithin)
}

// Upstream's error of an etcd that cannot be asked for progress has no code either.
var noProgressHeard = &wire.Error{Code: wire.Internal, Message: "sendInitialEvents needs progress notifications, and etcd seems to send none"}
