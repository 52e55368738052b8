package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/write"
	"github.com/watchbed/watchbed/sim/wire"
)

// resetDispatcher makes the dispatcher that of the configuration.
func (c *Cache) resetDispatcher() {
	c.dispatcher.Reset(dispatch.Config{
		Options: c.cfg.Watches, Amounts: c.cfg.Amounts.Amounts,
		Numbers: dispatch.Numbers{
			Dispatch: taskDispatch, HandOver: taskHandOff, Budget: timerDispatch, Bookmark: timerBookmark,
			Watcher: func(i int) (sim.Task, sim.Timer) { return watcherTask(i), watchTimer(i) },
		},
		Upstream: c.cfg.Watch, UpstreamMetadata: c.cfg.DelegatedMetadata, Fields: c.cfg.Fields, EventFreshDuration: c.cfg.EventFreshDuration,
		OneEntryOfChange: c.cfg.Ingestion.EqualProgress != EqualProgressTaken,
		WithoutWatchList: c.cfg.Guard.WatchList == guard.WatchListOff, Shards: c.cfg.Shards,
		Parts: c.dispatchParts(),
	})
}

// resetReads makes the reads those of a new process.
func (c *Cache) resetReads() {
	c.reads.Reset(read.Config{
		Options: c.cfg.Reads, Limits: c.cfg.Limits, Accumulate: timerAccumulate, Kept: timerKept,
		Numbers: func(i int) (sim.Task, sim.Timer) { return readTask(i), readTimer(i) },
		Prefix:  c.cfg.Prefix, Fields: c.cfg.Fields, Shards: c.cfg.Shards, KV: c.cfg.KV, Parts: c.readParts(),
	})
}

// resetWrites makes the writes those of a new process.
func (c *Cache) resetWrites() {
	c.writes.Reset(write.Config{Options: c.cfg.Writes, KV: c.cfg.KV, OnTimeout: c.cfg.Reads.OnTimeout, Parts: c.writeParts()})
}

func (c *Cache) writeParts() write.Parts {
	return write.Parts{Store: &c.store, Reads: &c.reads, Guard: &c.guard}
}

// resetRequester makes the progress requester that of a new process.
func (c *Cache) resetRequester() {
	c.requester.Reset(progress.Config{
		Watch: c.cfg.Watch, Metadata: c.cfg.Metadata, Period: c.cfg.ProgressRequestPeriod,
		Requests: c.cfg.ProgressRequests, Task: taskProgress, Timer: timerProgress,
	})
}

// progressRequested is called after a turn of the requester, which may have asked etcd for progress on behalf of reads.
func (c *Cache) progressRequested(env *sim.Env, asked bool) {
	if !asked {
		return
	}
	if env.Recording() {
		c.reads.DeclareWaits(env)
	}
	c.dispatcher.ProgressRequested(env)
}

func (c *Cache) readParts() read.Parts {
	return read.Parts{
		Ready: &c.ready, Guard: &c.guard, Flow: &c.flow, Store: &c.store, Requester: &c.requester, Checks: &c.checks,
	}
}

func (c *Cache) dispatchParts() dispatch.Parts {
	return dispatch.Parts{Ready: &c.ready, Guard: &c.guard, Flow: &c.flow, Store: &c.store, Reads: &c.reads}
}

// execution is what the priority level sees of the cache.
type execution struct{ *Cache }

var _ flowcontrol.Surroundings = execution{}

// flowConfig is what the priority level of the cache is made of.
func (c *Cache) flowConfig() flowcontrol.Config {
	return flowcontrol.Config{Options: c.cfg.Flow, Task: taskSeats, Timer: timerSeats, Surroundings: execution{c}}
}

func (c *Cache) Flow() *flowcontrol.Level { return &c.flow }

// Execute implements flowcontrol.Surroundings. A request that was answered on the spot
// has nothing that will end later.
func (c execution) Execute(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.ListRequest:
		c.reads.GetList(env, m, p)
	case *wire.GetRequest:
		c.reads.Get(env, m, p)
	case *wire.WatchRequest:
		c.dispatcher.Watch(env, m, p)
	}
	if c.flow.Limits() && !c.reads.Serves(env, m.Conn) && !c.dispatcher.Initializes(env, m.Conn) {
		c.flow.Finished(env, m.Conn)
	}
}

// Refuse implements flowcontrol.Surroundings.
func (c execution) Refuse(env *sim.Env, m *sim.Message, err *wire.Error) {
	if _, watch := m.Payload.(*wire.WatchRequest); watch {
		dispatch.Refuse(env, m.Conn, err)
		return
	}
	env.Send(m.Conn, err)
}

// Resource implements flowcontrol.Surroundings.
func (c execution) Resource(env *sim.Env) flowcontrol.Resource {
	objects, counted := c.store.Count(env)
	return flowcontrol.Resource{
		Objects: objects, Counted: counted,
		ConsistentReadSupported: c.guard.ConsistentReadSupported(env), WithoutWatchList: c.cfg.Guard.WatchList == guard.WatchListOff,
	}
}
