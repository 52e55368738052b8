package cache

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// ingestion is how what the reflector takes in becomes readable, and reaches the
// dispatcher.
type ingestion struct {
	// handOver is the event on its way to the dispatcher; an item is its resourceVersion.
	handOver state.Var[store.Event] `cell:"cache: event to hand over"`
	half     state.Var[half]        `cell:"cache: change that is halfway in"`
}

// half is a change of which the cache has the object or the version. As shipped there is neither.
type half struct {
	// unpublished is a change that the store has, and history and version do not.
	unpublished store.Event
	// unstored is one whose version is out, and which the store does not have.
	unstored *wire.WatchEvent
}

var layout = state.Of[ingestion]()

// feed is what the reflector sees of the cache.
type feed struct{ *Cache }

var _ reflector.Sink = feed{}

// BeginListAndWatch implements reflector.Sink. Watchers of the time before end
// only here: during the gap they stay, and are sent nothing new.
func (c feed) BeginListAndWatch(env *sim.Env) { c.dispatcher.TerminateAllWatchers(env) }

// Replace implements reflector.Sink: the list is the contents, and the cache is
// ready (onReplace).
func (c feed) Replace(env *sim.Env, items []*wire.KeyValue, initial *wire.Initial, resourceVersion int64) {
	c.store.Replace(env, items, initial, resourceVersion)
	c.checks.Stored(env)
	c.dispatcher.Listed(env, resourceVersion)
	c.ready.Set(env)
	c.reads.Broadcast(env)
}

// Event implements reflector.Sink. The event changes the cache in this step, and
// goes to the dispatcher in the next one.
func (c feed) Event(env *sim.Env, e *wire.WatchEvent) bool {
	if !c.reads.Admit(env, e) {
		return false
	}
	var taken store.Event
	if e.Type == wire.Bookmark {
		taken = c.updateResourceVersion(env, e)
	} else {
		taken = c.processEvent(env, e)
	}
	*c.ingestion.handOver.ChangeItem(env, e.ResourceVersion) = taken
	env.Enable(taskHandOff)
	return true
}

// processEvent takes in a change and wakes the reads that wait, all under the
// lock. It returns what the dispatcher is to be handed.
func (c *Cache) processEvent(env *sim.Env, in *wire.WatchEvent) store.Event {
	takesIn.Say(env, in.ResourceVersion, in, in.Item.Key)
	var e store.Event
	if c.cfg.Ingestion.Publication == whole {
		e = c.store.ProcessEvent(env, in)
	} else {
		e = c.takeHalf(env, in)
	}
	c.checks.Stored(env)
	if c.cfg.Ingestion.EqualProgress != equalProgressSkippedUnwoken {
		c.reads.Broadcast(env)
	}
	return e
}

// takeHalf takes in half of a change, and leaves the lock free until the hand-over to the dispatcher.
func (c *Cache) takeHalf(env *sim.Env, in *wire.WatchEvent) store.Event {
	h := c.ingestion.half.Change(env)
	if c.cfg.Ingestion.Publication == versionFirst {
		h.unstored = in
		versionOnly.Say(env, in.ResourceVersion)
		return c.store.Admit(env, in)
	}
	e := c.store.Change(env, in)
	c.store.Update(env, in)
	h.unpublished = e
	storeOnly.Say(env, in.ResourceVersion)
	return e
}

// takeOtherHalf takes in the rest of it.
func (c *Cache) takeOtherHalf(env *sim.Env) {
	switch h := c.ingestion.half.Get(env); {
	case h.unpublished.ResourceVersion != 0:
		c.ingestion.half.Set(env, half{})
		c.store.Publish(env, h.unpublished)
		c.reads.Broadcast(env)
	case h.unstored != nil:
		c.ingestion.half.Set(env, half{})
		c.store.Update(env, h.unstored)
	}
}

// updateResourceVersion is UpdateResourceVersion. It returns what the dispatcher is to be handed, which is
// nothing if it returns early. An echo (progress-requests=echo) says more than a version, and is taken.
func (c *Cache) updateResourceVersion(env *sim.Env, e *wire.WatchEvent) store.Event {
	o := &c.cfg.Ingestion
	if o.EqualProgress != EqualProgressTaken && e.ProgressID == 0 && e.ResourceVersion == c.store.ResourceVersion(env) {
		env.Cover(ProgressSkipped)
		c.hear(env, 0)
		skipsProgress.Say(env, e.ResourceVersion)
		return store.Event{}
	}
	if !o.LateProgress {
		c.takeProgress(env, e.ResourceVersion, e.ProgressID)
	} else {
		putOff.Say(env, e.ResourceVersion)
	}
	return store.Event{ResourceVersion: e.ResourceVersion, Bookmark: true}
}

// takeProgress takes in a progress notification (UpdateResourceVersion). It
// believes it whatever it says, as upstream does: also if it goes back in time.
func (c *Cache) takeProgress(env *sim.Env, resourceVersion, id int64) {
	env.Cover(ProgressNotified)
	c.hear(env, id)
	takesProgress.Say(env, resourceVersion)
	c.store.SetResourceVersion(env, resourceVersion)
	c.reads.Broadcast(env)
}

// takeLateProgress takes in the progress notification that the dispatcher takes from its channel next.
func (c *Cache) takeLateProgress(env *sim.Env) {
	if resourceVersion := c.dispatcher.NextProgress(); resourceVersion != 0 {
		c.takeProgress(env, resourceVersion, 0)
	}
}

// hear is what a progress notification means beside its version.
func (c *Cache) hear(env *sim.Env, id int64) {
	env.Add(bookmarksReceived, 1)
	c.reads.Notified(env)
	c.requester.Heard(env, id)
}

// dropProgress leaves a progress notification out: it is not known whether the member
// that it comes from can be trusted.
func (c *Cache) dropProgress(env *sim.Env, e *wire.WatchEvent) {
	env.Cover(progressDropped)
	dropsProgress.Say(env, e.ResourceVersion)
}

// runHandOver is the send on the dispatcher's channel, which blocks while that is
// full.
func (c *Cache) runHandOver(env *sim.Env) {
	e := c.ingestion.handOver.Get(env)
	if c.cfg.Ingestion.Publication != whole {
		c.takeOtherHalf(env)
	}
	c.checks.Stored(env)
	if e.ResourceVersion != 0 && !c.dispatcher.Offer(env, e) {
		env.Cover(ingestionBlocked)
		return
	}
	c.ingestion.handOver.Set(env, store.Event{})
	c.reflector.Next(env)
}

// EndListAndWatch implements reflector.Sink: the cache is not ready until the
// next list.
func (c feed) EndListAndWatch(env *sim.Env) {
	if c.reads.Waiting() > 0 {
		env.Cover(unreadyWhileWaiting)
	}
	c.ready.End(env)
}

func (c *Cache) reflectorConfig() reflector.Config {
	o := &c.cfg.Ingestion
	return reflector.Config{
		KV: c.cfg.KV, Watch: c.cfg.Watch, Prefix: c.cfg.Prefix, Metadata: c.cfg.Metadata, Announce: c.guard.FollowsStreams(),
		PageSize: c.cfg.ListPageSize, RelistDelay: c.cfg.RelistDelay, Relist: timerRelist,
		WatchListClient: o.WatchListClient && c.cfg.Guard.WatchList != guard.WatchListOff, WithoutPrevKV: o.WithoutPrevKV, RelistsOnError: o.RelistsOnError,
	}
}

func (c *Cache) checksConfig() check.Config {
	return check.Config{
		Options: c.cfg.Checks, Prefix: c.cfg.Prefix, KV: c.cfg.KV, Compactor: c.cfg.Compactor, PageSize: c.cfg.ListPageSize,
		CompactionPollPeriod: c.cfg.CompactionPollPeriod, ConsistencyCheckPeriod: c.cfg.ConsistencyCheckPeriod, UntimedTurns: c.cfg.UntimedTurns,
		CompactionTimer: timerCompaction, CheckTimer: timerChecker,
	}
}

var (
	bookmarksReceived = metric.NewCounter("etcd_bookmark_total", metric.Counted,
		"progress notifications that the cache took in")
	// Upstream counts a request at its end, which a watch has late or never.
	listRequests = metric.NewCounter(`apiserver_request_total{verb="LIST"}`, metric.Counted,
		"LISTs that came to an API server")
	watchRequests = metric.NewCounter(`apiserver_request_total{verb="WATCH"}`, metric.Counted,
		"WATCHes that came to an API server")
)

// IngestionOptions are the options of how events come into the cache.
type IngestionOptions struct {
	WatchListClient bool
	RelistsOnError  bool
	LateProgress    bool
	WithoutPrevKV   bool
	Publication     Publication
	EqualProgress   EqualProgress
	WatchStream     WatchStream
}

// Publication is when a change can be read.
type Publication uint8

const (
	whole Publication = iota
	storeFirst
	versionFirst
)

// EqualProgress is what UpdateResourceVersion makes of a resourceVersion that the cache has already. The reflector
// calls it with each progress notification, and once more after each change with the version of that change.
type EqualProgress uint8

// The values of equal-progress.
const (
	EqualProgressTaken EqualProgress = iota
	EqualProgressSkipped
	equalProgressSkippedUnwoken
)

// WatchStream is the gRPC stream of etcd on which the cache watches and
// requests progress. etcd answers such a request to all watches of the stream,
// once all of them are synced.
type WatchStream uint8

const (
	ownStream WatchStream = iota
	streamOfCaches
	streamWithDelegated
)

var ingestionOptions = option.NewGroup("cache",
	option.Either("reflector-list", func(o *IngestionOptions) *bool { return &o.WatchListClient }, "how the cache gets its contents",
		option.Off("list", "it lists in etcd, page by page, and then watches"),
		option.Val("watch-list", "it watches with initial events, and lists if that fails (default since Kubernetes 1.35)")),
	option.Either("watch-retry", func(o *IngestionOptions) *bool { return &o.RelistsOnError },
		"what a cache does when its watch of etcd ends with an error other than a compaction",
		option.Val("half-a-minute", "it watches again for as long as the errors last no longer than 30 s"),
		option.Bug("none", "it lists again at once (kubernetes#111116)")),
	option.Either("watch-prev-kv", func(o *IngestionOptions) *bool { return &o.WithoutPrevKV }, "the previous values of the changes that the cache watches",
		option.Val("asked", "etcd sends them: up to Kubernetes 1.37"),
		option.Val("unasked", "the cache has them in its store (WatchFromStorageWithoutPrevKV, on by default in v0.38.0-beta.0; kubernetes#131862)")),
	option.Choice("publication", func(o *IngestionOptions) *Publication { return &o.Publication }, "when a change can be read",
		option.Val("whole", "version and store change in one step"),
		option.Bug("store-first", "history and version change one step after the store"),
		option.Bug("version-first", "the store changes one step after the version")),
	option.Either("progress-rv", func(o *IngestionOptions) *bool { return &o.LateProgress }, "when a progress notification sets the cache's resourceVersion",
		option.Val("ingested", "when it comes in, like an event"),
		option.Bug("dispatched", "when the dispatcher takes it from its channel, behind events that came since")),
	option.Choice("equal-progress", func(o *IngestionOptions) *EqualProgress { return &o.EqualProgress },
		"what the cache makes of progress up to the resourceVersion that it has already",
		option.Val("taken", "the same as of other progress: reads look again, and the dispatcher gets an entry"),
		option.Val("skipped", "nothing: reads go on to wait, and the dispatcher gets no entry, after changes neither: as v0.38.0-alpha.2 ships it"),
		option.Bug("skipped-unwoken", "nothing, and a change has left it to this call to wake the reads that wait")),
	option.Choice("watch-stream", func(o *IngestionOptions) *WatchStream { return &o.WatchStream },
		"the gRPC stream on which the cache watches and requests progress",
		option.Val("own", "one of its own (the gate SeparateCacheWatchRPC)"),
		option.Bug("of-caches", "one for all caches of the client (kubernetes#114458)"),
		option.Bug("with-delegated", "that of the watches which it delegates to etcd (kubernetes#123532)")),
)
