package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// resetDispatcher makes the dispatcher that of a new process.
func (c *Cache) resetDispatcher() {
	c.dispatcher.Reset(dispatch.Config{
		Options: c.cfg.Watches, Amounts: c.cfg.Amounts.Amounts,
		Numbers: dispatch.Numbers{
			Dispatch: taskDispatch, HandOver: taskHandOff, Budget: timerDispatch, Bookmark: timerBookmark,
			Watcher: func(i int) (sim.Task, sim.Timer) { return watcherTask(i), watchTimer(i) },
		},
		Upstream: c.cfg.Watch, Trigger: c.cfg.WatchTrigger, EventFreshDuration: c.cfg.EventFreshDuration,
		WithoutWatchList: c.cfg.Guard.WatchList == guard.GateDisabled,
		Store:            &c.store, Surroundings: surroundings{c},
	})
}

// surroundings is what the dispatcher sees of the cache.
type surroundings struct{ *Cache }

var _ dispatch.Surroundings = surroundings{}

// Readiness implements dispatch.Surroundings.
func (c surroundings) Readiness(env *sim.Env) dispatch.Readiness {
	env.Reads(cellReady, 0)
	return dispatch.Readiness{OK: c.ready.ok, Generation: c.ready.generation}
}

// Refusal implements dispatch.Surroundings.
func (c surroundings) Refusal(env *sim.Env) *wire.Error { return c.ready.refusal(env) }

// ConsistentReadSupported implements dispatch.Surroundings.
func (c surroundings) ConsistentReadSupported(env *sim.Env) bool {
	return c.guard.ConsistentReadSupported(env)
}

// ObjectPrefix implements dispatch.Surroundings.
func (c surroundings) ObjectPrefix(prefix string) string { return c.listPrefix(prefix) }

// AskRevision implements dispatch.Surroundings.
func (c surroundings) AskRevision(env *sim.Env, w *dispatch.Watcher) {
	r := &c.reads[c.newWatchRead(env, w)]
	r.state = readCurrentRevision
	traffic.Asked(env, traffic.CurrentRevision)
	r.call = env.Call(c.cfg.KV, c.currentRevision)
}

// WaitUntilFresh implements dispatch.Surroundings.
func (c surroundings) WaitUntilFresh(env *sim.Env, w *dispatch.Watcher, resourceVersion int64, atMost sim.Duration) {
	i := c.readOf(w)
	if i < 0 {
		i = c.newWatchRead(env, w)
	}
	c.reads[i].atMost = atMost
	c.waitUntilFresh(env, i, resourceVersion)
}

// Abandon implements dispatch.Surroundings.
func (c surroundings) Abandon(env *sim.Env, w *dispatch.Watcher) bool {
	i := c.readOf(w)
	if i >= 0 && c.reads[i].state != readCurrentRevision {
		return false
	}
	if i >= 0 {
		env.Close(c.reads[i].call)
		c.reads[i] = read{}
	}
	return true
}

// ProgressDispatched implements dispatch.Surroundings.
func (c surroundings) ProgressDispatched(env *sim.Env, resourceVersion int64) {
	c.ingestion.progress.Dispatched(env, c.Cache, resourceVersion)
}

// newWatchRead enters a watch among the reads that wait for etcd or for the cache
// to be fresh, and returns its number there.
func (c *Cache) newWatchRead(env *sim.Env, w *dispatch.Watcher) int {
	i := c.newRead(env, &sim.Message{Conn: w.Conn(), From: w.From(), Cause: env.Cause()})
	c.reads[i].watcher = w
	return i
}

// readOf is the read of a watch that is still starting, -1 if it has none.
func (c *Cache) readOf(w *dispatch.Watcher) int {
	for i := range c.reads {
		if c.reads[i].watcher == w {
			return i
		}
	}
	return -1
}

// watchVersionKnown: etcd has told the revision that a watch has to reach.
func (c *Cache) watchVersionKnown(env *sim.Env, i int, revision int64) {
	if !c.reads[i].watcher.RevisionKnown(env, revision) {
		c.reads[i] = read{}
	}
}

// watchFresh: the watch has waited long enough.
func (c *Cache) watchFresh(env *sim.Env, i int) {
	w := c.reads[i].watcher
	c.reads[i] = read{}
	w.Fresh(env)
}

// blockTimeout is how long a read waits for the cache.
func (c *Cache) blockTimeout(r *read) sim.Duration {
	if r.atMost > 0 {
		return r.atMost
	}
	return c.cfg.BlockTimeout
}
