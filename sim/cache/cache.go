package cache

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/flowcontrol"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/cache/progress"
	"github.com/watchbed/watchbed/sim/cache/read"
	"github.com/watchbed/watchbed/sim/cache/reflector"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/write"
	"github.com/watchbed/watchbed/sim/wire"
)

// The loops. Reads and watchers have one each.
const (
	taskHandOff sim.Task = iota
	taskDispatch
	taskProgress
	taskSeats
	fixedTasks
)

func readTask(i int) sim.Task    { return fixedTasks + sim.Task(2*i) }
func watcherTask(i int) sim.Task { return fixedTasks + sim.Task(2*i+1) }

// The timers. Reads and watchers have one each.
const (
	timerRelist sim.Timer = iota
	timerProgress
	timerDispatch
	timerBookmark
	timerCompaction
	timerChecker
	timerAccumulate
	timerKept
	timerStatus
	timerSeats  = timerStatus + guard.MaxEndpoints
	fixedTimers = timerSeats + 1
)

func readTimer(i int) sim.Timer  { return fixedTimers + sim.Timer(2*i) }
func watchTimer(i int) sim.Timer { return fixedTimers + sim.Timer(2*i+1) }

// Cache is one watch cache in front of etcd. It implements sim.Node with all
// optional capabilities.
type Cache struct {
	cfg Config

	guard      guard.Guard
	ready      read.Ready
	store      store.Store
	reflector  reflector.Reflector
	ingestion  ingestion
	requester  progress.Requester
	dispatcher dispatch.Dispatcher
	reads      read.Delegator
	writes     write.Delegator
	checks     check.Housekeeping
	flow       flowcontrol.Level
	killer     Killer

	// generation counts how often the process was replaced by one with other options.
	generation int
}

var (
	_ sim.Node          = (*Cache)(nil)
	_ sim.Drained       = (*Cache)(nil)
	_ sim.Restarter     = (*Cache)(nil)
	_ sim.Cloner        = (*Cache)(nil)
	_ sim.Fingerprinter = (*Cache)(nil)
	_ sim.Celled        = (*Cache)(nil)
)

// New returns a cache that has not started yet.
func New(cfg Config) *Cache {
	c := &Cache{}
	c.Reset(cfg)
	return c
}

// Reset makes the cache a new one for another run, and keeps its memory.
func (c *Cache) Reset(cfg Config) {
	c.configure(cfg)
	c.reflector.Reset(c.reflectorConfig(), feed{c})
	c.checks.Reset(c.checksConfig(), &c.store, c.cfg.Process)
	c.killer.Reset(c.cfg.MemoryLimit, c.cfg.Process)
	c.flow.Reset(c.flowConfig())
	c.generation = 0
	c.ready.Reset(0, true)
	c.resetWrites()
	c.forgetEverything(0)
}

// Reconfigure gives the cache other options, as one has that comes in its place: its
// process is restarted next. What the cache has done stays on record.
func (c *Cache) Reconfigure(cfg Config) {
	c.configure(cfg)
	c.reflector.Reconfigure(c.reflectorConfig(), feed{c})
	c.checks.Reconfigure(c.checksConfig(), c.cfg.Process)
	c.killer.Reconfigure(c.cfg.MemoryLimit)
	c.flow.Reconfigure(c.flowConfig())
	c.generation++
}

// Generation is how often the cache was reconfigured in the run.
func (c *Cache) Generation() int { return c.generation }

func (c *Cache) configure(cfg Config) {
	cfg.setDefaults()
	switch cfg.Ingestion.WatchStream {
	case streamOfCaches:
		cfg.Metadata = "source=cache"
	case streamWithDelegated:
		cfg.Metadata = cfg.DelegatedMetadata
	}
	c.cfg = cfg
	c.guard.Reset(guard.Config{Options: cfg.Guard, KV: cfg.KV, Endpoints: cfg.Endpoints, FirstTimer: timerStatus})
	c.resetDispatcher()
}

// forgetEverything drops what the cache of a resource keeps in memory: another one begins now.
func (c *Cache) forgetEverything(now sim.Time) {
	c.reflector.Forget()
	layout.Reset(&c.ingestion, 0, ingestion{})
	c.store.Reset(c.storeConfig())
	c.resetRequester()
	c.resetReads()
	c.dispatcher.Forget(now)
	c.checks.Forget()
}

func (c *Cache) Start(env *sim.Env) {
	c.guard.Start(env)
	c.startIfGuardAllows(env)
}

func (c *Cache) startIfGuardAllows(env *sim.Env) {
	if c.guard.Refusal(env) == nil {
		c.startServing(env)
	}
}

func (c *Cache) startServing(env *sim.Env) {
	c.requester.Start(env, c.reflector.Starts())
	c.reflector.ListAndWatch(env)
	c.checks.Start(env)
}

func (c *Cache) Restart(env *sim.Env) {
	c.flow.Forget()
	c.guard.Forget()
	c.ready.Reset(env.Now(), true)
	c.resetWrites()
	c.forgetEverything(env.Now())
	c.Start(env)
}

func (c *Cache) Receive(env *sim.Env, m *sim.Message) {
	c.receive(env, m)
	c.killer.Look(env)
}

func (c *Cache) receive(env *sim.Env, m *sim.Message) {
	if !c.guard.Settled(env) && c.handleWhileStarting(env, m) {
		return
	}
	switch p := m.Payload.(type) {
	case *wire.StreamOpened:
		c.guard.StreamOpened(env)
	case *wire.WatchEstablished:
		c.dispatcher.Established(env, m.Conn)
	case *wire.WatchEvent:
		if p.Type == wire.Bookmark && c.guard.Deaf(env) && c.reflector.Watches(env, m.Conn) {
			c.dropProgress(env, p)
			return
		}
		if !c.reflector.Event(env, m.Conn, p) {
			c.dispatcher.Relay(env, m.Conn, p)
		}
	case *wire.ListRequest:
		env.Add(listRequests, 1)
		c.request(env, m)
	case *wire.WatchRequest:
		env.Add(watchRequests, 1)
		c.request(env, m)
	case *wire.GetRequest:
		c.request(env, m)
	case *wire.CreateRequest:
		c.writes.Create(env, m, p)
	case *wire.GuaranteedUpdateRequest:
		c.writes.GuaranteedUpdate(env, m, p)
	case *wire.DeleteRequest:
		c.writes.Delete(env, m, p)
	case *wire.ReadyzRequest:
		c.reads.Readyz(env, m.Conn)
	case *order:
		env.Close(m.Conn)
		p.carryOut(c, env)
	case *sim.Hangup:
		c.hangup(env, m)
	default:
		if !c.reflector.Answer(env, m.Conn, p) && !c.checks.Answer(env, m.Conn, p) && !c.writes.Answered(env, m) {
			c.reads.Answered(env, m)
		}
	}
}

// request executes a request, once it has its seats where these are limited.
func (c *Cache) request(env *sim.Env, m *sim.Message) {
	m = c.cfg.Shards.Heard(m)
	if c.flow.Limits() {
		c.flow.Arrive(env, m)
	} else {
		execution{c}.Execute(env, m)
	}
}

func (c *Cache) hangup(env *sim.Env, m *sim.Message) {
	switch {
	case c.reflector.Hangup(env, m.Conn):
	case c.requester.Hangup(m.Conn):
	case c.checks.Answer(env, m.Conn, m.Payload):
	case c.reads.Answered(env, m):
	case c.writes.Answered(env, m):
	default:
		c.flow.Left(env, m.Conn)
		c.dispatcher.Hangup(env, m.Conn)
	}
}

func (c *Cache) Fire(env *sim.Env, t sim.Timer) {
	switch {
	case t < timerStatus || t == timerSeats:
		timers[t].fire(c, env)
	case t < timerSeats:
		c.fireStatus(env, int(t-timerStatus))
	default:
		c.place(int(t - fixedTimers)).TimedOut(env)
	}
	c.killer.Look(env)
}

// timers are what the timers do that no read, watcher or endpoint of etcd has.
var timers = [fixedTimers]struct {
	name string
	fire func(*Cache, *sim.Env)
}{
	timerRelist:     {"list and watch again", func(c *Cache, env *sim.Env) { c.reflector.ListAndWatch(env) }},
	timerProgress:   {"progress request period", func(c *Cache, env *sim.Env) { c.progressRequested(env, c.requester.Fire(env)) }},
	timerDispatch:   {"", func(c *Cache, env *sim.Env) { c.dispatcher.FireBudget(env) }},
	timerBookmark:   {"bookmark timer", func(c *Cache, env *sim.Env) { c.dispatcher.FireBookmark(env) }},
	timerCompaction: {"compaction poll", func(c *Cache, env *sim.Env) { c.checks.Poll(env) }},
	timerChecker:    {"consistency check", func(c *Cache, env *sim.Env) { c.checks.Check(env, c.ready.IsSet(env)) }},
	timerAccumulate: {"end of the accumulation", func(c *Cache, env *sim.Env) { c.reads.FireAccumulate(env) }},
	timerKept:       {"kept pages expire", func(c *Cache, env *sim.Env) { c.reads.FireKept(env) }},
	timerSeats:      {"longest wait for seats", func(c *Cache, env *sim.Env) { c.flow.Fire(env) }},
}

// place is a read or a watcher: these take turns in the numbers of tasks and timers.
type place interface {
	Run(env *sim.Env)
	TimedOut(env *sim.Env)
	String() string
}

func (c *Cache) place(n int) place {
	if n%2 == 0 {
		return c.reads.Read(n / 2)
	}
	return c.dispatcher.Watcher(n / 2)
}

// IsDeadline implements sim.Deadlines: a read that waits gives up, and so does a request
// that waits for its seats.
func (c *Cache) IsDeadline(t sim.Timer) bool {
	return t == timerSeats || t >= fixedTimers && (t-fixedTimers)%2 == 0
}

func (c *Cache) Run(env *sim.Env, t sim.Task) {
	if t < fixedTasks {
		loops[t].run(c, env)
	} else {
		c.place(int(t - fixedTasks)).Run(env)
	}
	c.killer.Look(env)
}

// loops are what the tasks do that no read or watcher has.
var loops = [fixedTasks]struct {
	name string
	run  func(*Cache, *sim.Env)
}{
	taskHandOff: {"hand over to the dispatcher", (*Cache).runHandOver},
	taskDispatch: {"dispatchEvents", func(c *Cache, env *sim.Env) {
		if c.cfg.Ingestion.LateProgress {
			c.takeLateProgress(env)
		}
		c.dispatcher.Run(env)
	}},
	taskProgress: {"progress requester", func(c *Cache, env *sim.Env) { c.progressRequested(env, c.requester.Run(env)) }},
	taskSeats:    {"request that has its seats", func(c *Cache, env *sim.Env) { c.flow.Run(env) }},
}

func (c *Cache) TaskName(t sim.Task) string {
	if t < fixedTasks {
		return loops[t].name
	}
	return c.place(int(t - fixedTasks)).String()
}

func (c *Cache) TimerName(t sim.Timer) string {
	switch {
	case t == timerDispatch:
		return c.dispatcher.TimerName()
	case t < timerStatus || t == timerSeats:
		return timers[t].name
	case t < timerSeats:
		return "version of endpoint " + strconv.Itoa(int(t-timerStatus))
	}
	return "timeout of " + c.place(int(t-fixedTimers)).String()
}

// Drained implements sim.Drained. What the process takes for the client has become less, and a
// delegated watch that sends on now takes as much again.
func (c *Cache) Drained(env *sim.Env, conn sim.Conn) { c.dispatcher.Drained(env, conn) }

// ResourceVersion is the revision up to which the cache claims to be complete;
// 0 before its first list.
func (c *Cache) ResourceVersion() int64 { return c.store.Version() }

// CompactRevision is the compaction that the cache last learned of: it serves no
// past state from before it. 0 if it has learned of none.
func (c *Cache) CompactRevision() int64 { return c.store.CompactRevision() }

// Detections are all comparisons with etcd since the run began, those of processes
// that have crashed too. They must not be changed.
func (c *Cache) Detections() []check.Detection { return c.checks.Log() }

// Ready reports whether the cache may be read.
func (c *Cache) Ready() bool { return c.ready.OK() }

// Waiting is the number of reads that wait for the cache to be fresh.
func (c *Cache) Waiting() int { return c.reads.Waiting() }

// Ascend calls f for the objects in the cache, in key order, until f says
// stop. They must not be changed.
func (c *Cache) Ascend(f func(*wire.KeyValue) bool) { c.store.Ascend(f) }

func (c *Cache) AscendSnapshots(f func(until int64, ascend func(func(*wire.KeyValue) bool))) {
	c.store.AscendSnapshots(f)
}

// Kills are the times that the process was killed because it was out of memory.
func (c *Cache) Kills() []Kill { return c.killer.Kills() }

func (c *Cache) Endings() []reflector.Ending { return c.reflector.Endings() }
func (c *Cache) Turns() []reflector.Turn     { return c.reflector.Turns() }

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

func (c execution) Refuse(env *sim.Env, m *sim.Message, err *wire.Error) {
	if _, watch := m.Payload.(*wire.WatchRequest); watch {
		dispatch.Refuse(env, m.Conn, err)
		return
	}
	env.Send(m.Conn, err)
}

func (c execution) Resource(env *sim.Env) flowcontrol.Resource {
	objects, counted := c.store.Count(env)
	return flowcontrol.Resource{
		Objects: objects, Counted: counted,
		ConsistentReadSupported: c.guard.ConsistentReadSupported(env), WithoutWatchList: c.cfg.Guard.WatchList == guard.WatchListOff,
	}
}
