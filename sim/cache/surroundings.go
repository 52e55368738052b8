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
		WithoutWatchList: c.cfg.Guard.WatchList == guard.WatchListOff,
		Store:            &c.store, Surroundings: surroundings{c},
	})
}

// resetReads makes the reads those of a new process.
func (c *Cache) resetReads() {
	c.reads.Reset(read.Config{
		Options: c.cfg.Reads, Limits: c.cfg.Limits,
		Numbers: read.Numbers{
			Accumulate: timerAccumulate, Kept: timerKept,
			Read: func(i int) (sim.Task, sim.Timer) { return readTask(i), readTimer(i) },
		},
		Prefix: c.cfg.Prefix, Fields: c.cfg.Fields, KV: c.cfg.KV,
		Store: &c.store, Requester: c.requester, Surroundings: surroundings{c},
	})
}

// resetWrites makes the writes those of a new process.
func (c *Cache) resetWrites() {
	c.writes.Reset(write.Config{Options: c.cfg.Writes, KV: c.cfg.KV, Store: &c.store})
}

// resetRequester makes the progress requester that of a new process.
func (c *Cache) resetRequester() {
	c.requester.Reset(progress.Config{
		Watch: c.cfg.Watch, Metadata: c.cfg.Metadata, Period: c.cfg.ProgressRequestPeriod,
		Task: taskProgress, Timer: timerProgress,
		Waits: surroundings{c},
	})
}

// surroundings is what the parts see of the cache.
type surroundings struct{ *Cache }

var (
	_ dispatch.Surroundings = surroundings{}
	_ read.Surroundings     = surroundings{}
	_ progress.Waits        = surroundings{}

	_ flowcontrol.Surroundings = surroundings{}
)

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

// Distrust implements read.Surroundings.
func (c surroundings) Distrust() string { return c.guard.Distrust() }

// ObjectPrefix implements dispatch.Surroundings.
func (c surroundings) ObjectPrefix(prefix string) string { return c.reads.ObjectPrefix(prefix) }

// AskRevision implements dispatch.Surroundings.
func (c surroundings) AskRevision(env *sim.Env, w *dispatch.Watcher) { c.reads.AskRevision(env, w) }

// WaitUntilFresh implements dispatch.Surroundings.
func (c surroundings) WaitUntilFresh(env *sim.Env, w *dispatch.Watcher, resourceVersion int64, patience sim.Duration) {
	c.reads.WatchUntilFresh(env, w, resourceVersion, patience)
}

// Abandon implements dispatch.Surroundings.
func (c surroundings) Abandon(env *sim.Env, w *dispatch.Watcher) bool { return c.reads.Abandon(env, w) }

// Ready implements read.Surroundings.
func (c surroundings) Ready(env *sim.Env) bool { return c.ready.isSet(env) }

// ListAnswered implements read.Surroundings.
func (c surroundings) ListAnswered(env *sim.Env, list *wire.ListRequest, answer sim.Payload) {
	c.checks.Detector.Compare(env, list, answer, &c.checks.Log)
}

// DeclareWaits implements progress.Waits.
func (c surroundings) DeclareWaits(env *sim.Env) { c.reads.DeclareWaits(env) }

// ProgressRequested implements progress.Waits.
func (c surroundings) ProgressRequested(env *sim.Env) { c.dispatcher.ProgressRequested(env) }

// ProgressDispatched implements dispatch.Surroundings.
func (c surroundings) ProgressDispatched(env *sim.Env, resourceVersion int64) {
	if c.cfg.Ingestion.LateProgress {
		c.takeProgress(env, resourceVersion, 0)
	}
}

// flowConfig is what the priority level of the cache is made of.
func (c *Cache) flowConfig() flowcontrol.Config {
	return flowcontrol.Config{Options: c.cfg.Flow, Task: taskSeats, Timer: timerSeats, Surroundings: surroundings{c}}
}

// Flow implements FlowControlled.
func (c *Cache) Flow() *flowcontrol.Level { return &c.flow }

// Execute implements flowcontrol.Surroundings. A request that was answered on the spot
// has nothing that will end later.
func (c surroundings) Execute(env *sim.Env, m *sim.Message) {
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
func (c surroundings) Refuse(env *sim.Env, m *sim.Message, err *wire.Error) {
	if _, watch := m.Payload.(*wire.WatchRequest); watch {
		dispatch.Refuse(env, m.Conn, err)
		return
	}
	env.Send(m.Conn, err)
}

// Resource implements flowcontrol.Surroundings.
func (c surroundings) Resource(env *sim.Env) flowcontrol.Resource {
	objects, counted := c.store.Count(env)
	return flowcontrol.Resource{
		Objects: objects, Counted: counted,
		ConsistentReadSupported: c.guard.ConsistentReadSupported(env), WithoutWatchList: c.cfg.Guard.WatchList == guard.WatchListOff,
	}
}

// Delegates implements read.Surroundings.
func (c surroundings) Delegates(env *sim.Env, conn sim.Conn) *wire.Error {
	return c.flow.Delegates(env, conn)
}

// Ended implements read.Surroundings and dispatch.Surroundings.
func (c surroundings) Ended(env *sim.Env, conn sim.Conn) { c.flow.Finished(env, conn) }

// Initialized implements dispatch.Surroundings.
func (c surroundings) Initialized(env *sim.Env, conn sim.Conn) { c.flow.Initialized(env, conn) }
