package cache

import (
	"github.com/watchbed/watchbed/metric"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// ingestion is how what the reflector takes in becomes readable, and reaches the
// dispatcher.
type ingestion struct {
	publisher Publisher
	progress  ProgressTaker
	early     EarlyReturn
	// chosen is the option that publisher was made for.
	chosen Publication
	// handOver is the event on its way to the dispatcher.
	handOver store.Event
}

func (n *ingestion) reset(o *IngestionOptions) {
	if n.publisher == nil || n.chosen != o.Publication {
		n.publisher, n.chosen = Publications.Of(o.Publication)(), o.Publication
	}
	n.progress = ProgressTakers.Of(o.ProgressRV)
	n.early = EqualProgresses.Of(o.EqualProgress)
	n.forget()
}

func (n *ingestion) forget() {
	n.publisher.Reset()
	n.handOver = store.Event{}
}

func (n *ingestion) clone() ingestion {
	c := *n
	c.publisher = n.publisher.Clone()
	return c
}

func (n *ingestion) cells(visit sim.CellVisitor) {
	visit(cellHandOver, 0, n.handOver.Fingerprint(sim.NewDigest))
	n.publisher.Cells(visit)
}

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
	c.checks.Checker.Stored(env, &c.store)
	c.dispatcher.Listed(env, resourceVersion)
	c.ready.set(env)
	c.reads.Broadcast(env)
}

// Event implements reflector.Sink. The event changes the cache in this step, and
// goes to the dispatcher in the next one.
func (c feed) Event(env *sim.Env, e *wire.WatchEvent) bool {
	if !c.reads.Admit(env, e) {
		return false
	}
	n := &c.ingestion
	if e.Type == wire.Bookmark {
		n.handOver = c.updateResourceVersion(env, e)
	} else {
		n.handOver = c.processEvent(env, e)
	}
	env.WritesItem(cellHandOver, 0, e.ResourceVersion)
	env.Enable(taskHandOff)
	return true
}

// processEvent takes in a change and wakes the reads that wait, all under the
// lock. It returns what the dispatcher is to be handed.
func (c *Cache) processEvent(env *sim.Env, in *wire.WatchEvent) store.Event {
	if env.Noting() {
		env.Note(takesIn{in})
	}
	e := c.ingestion.publisher.Event(env, &c.store, in)
	c.checks.Checker.Stored(env, &c.store)
	if !c.ingestion.early.Wakes {
		c.reads.Broadcast(env)
	}
	return e
}

// updateResourceVersion is UpdateResourceVersion. It returns what the dispatcher is to be handed, which is
// nothing if it returns early. An echo (progress-requests=echo) says more than a version, and is taken.
func (c *Cache) updateResourceVersion(env *sim.Env, e *wire.WatchEvent) store.Event {
	n := &c.ingestion
	if n.early.Returns && e.ProgressID == 0 && e.ResourceVersion == c.store.ResourceVersion(env) {
		env.Cover(ProgressSkipped)
		c.hear(env, 0)
		if env.Noting() {
			env.Note(skipsProgress{e.ResourceVersion})
		}
		return store.Event{}
	}
	n.progress.Ingested(env, c, e)
	return store.Event{ResourceVersion: e.ResourceVersion, Bookmark: true}
}

// TakeProgress takes in a progress notification (UpdateResourceVersion). It
// believes it whatever it says, as upstream does: also if it goes back in time.
func (c *Cache) TakeProgress(env *sim.Env, resourceVersion, id int64) {
	env.Cover(ProgressNotified)
	c.hear(env, id)
	if env.Noting() {
		env.Note(takesProgress{resourceVersion})
	}
	c.store.SetResourceVersion(env, resourceVersion)
	c.reads.Broadcast(env)
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
	if env.Noting() {
		env.Note(dropsProgress{e.ResourceVersion})
	}
}

// runHandOver is the send on the dispatcher's channel, which blocks while that is
// full.
func (c *Cache) runHandOver(env *sim.Env) {
	n := &c.ingestion
	env.Reads(cellHandOver, 0)
	if n.publisher.HandOver(env, &c.store) {
		c.reads.Broadcast(env)
	}
	c.checks.Checker.Stored(env, &c.store)
	if something := n.handOver.ResourceVersion != 0; something && !c.dispatcher.Offer(env, n.handOver) {
		env.Cover(ingestionBlocked)
		return
	}
	env.Writes(cellHandOver, 0)
	n.handOver = store.Event{}
	c.reflector.Next(env)
}

// EndListAndWatch implements reflector.Sink: the cache is not ready until the
// next list.
func (c feed) EndListAndWatch(env *sim.Env) {
	if c.reads.Waiting() > 0 {
		env.Cover(unreadyWhileWaiting)
	}
	c.ready.end(env)
}

func (c *Cache) reflectorConfig() reflector.Config {
	listing := c.cfg.Ingestion.ReflectorList
	if c.cfg.Guard.WatchList == guard.WatchListOff {
		listing = reflector.Pages
	}
	return reflector.Config{
		KV: c.cfg.KV, Watch: c.cfg.Watch, Prefix: c.cfg.Prefix, Metadata: c.cfg.Metadata, Announce: c.guard.FollowsStreams(),
		PageSize: c.cfg.ListPageSize, RelistDelay: c.cfg.RelistDelay, Listing: listing, Retry: c.cfg.Ingestion.WatchRetry, Relist: timerRelist,
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
