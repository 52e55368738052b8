// Package etcdcache (unstable) is etcd's own cache library, go.etcd.io/etcd/cache, as a node: one Cache on a
// clientv3.Client of its own. It is what the library is at commit c34dc7ee0048 (2026-08-20, before 3.8); the names are
// upstream's.
//
// It speaks sim/wire as package sim/cache says. What its clients ask for stands for a call of the library:
//
//	LIST, GET without resourceVersion   Get: linearizable
//	LIST, GET at "0"                    Get with WithSerializable
//	LIST at exactly N                   Get with WithRev(N): it waits for etcd's revision, too
//	WATCH after N                       Watch with WithRev(N+1)
//
// All other requests are refused (refuses), as the library has no call for them: pages, selectors, "not older than N",
// initial events. A watcher of the library that ends without an error ends the stream. Deletions come without the
// object: the library has no WithPrevKV. WithProgressNotify is left out: its timer fires after ten minutes, and
// progress of etcd reaches every watcher without it.
//
// # Yield points
//
//	getWatchLoop, getWatch   delivery of the Range; timer "backoff of getWatch"
//	watchEvents              task "watchEvents": one response, or the end of applyStorage
//	applyStorage             task of the watcher of the store: one response
//	Watch                    task of a client's watcher: one response to its channel, which has no room for a second
//	resyncLoop               timer "resync", set while a watcher lags: other ticks do nothing
//	Get                      delivery of the revision; task of the read after each broadcast of revCond, or when the cache becomes ready
//	the goroutine beside it  timer "timeout" of the read
//	progressRequestor.run    timer "progress", and task "progress" after a signal
//
// Between the end of waitTillRevision and the read of the snapshot the original holds no lock. What could happen there
// makes the answer only newer, as if the read had been woken later, so that both are one step. The broadcast at the
// timeout of a read is made without the lock, too: one that falls between the read's look and its Wait would be lost,
// which needs a step that ends nowhere else and is left out.
//
// The package imports sim, sim/cache (for its Config), sim/client/clientv3, sim/option, sim/state and sim/wire. It must
// never import sim/etcd.
package etcdcache

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/client/clientv3"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

// What the library has where the configuration says nothing (defaultConfig).
const (
	perWatcherBufferSize    = 10
	historyWindowSize       = 2048
	resyncInterval          = 50 * time.Millisecond
	initialBackoff          = 50 * time.Millisecond
	waitTimeout             = 3 * time.Second
	progressRequestInterval = 100 * time.Millisecond
)

// Cache is one Cache of the library.
type Cache struct {
	cfg     cache.Config
	client  *clientv3.Client
	loop    state.Var[loop]      `cell:"etcd cache: getWatch"`
	ready   state.Var[bool]      `cell:"etcd cache: ready"`
	demux   state.Var[demux]     `cell:"etcd cache: demux"`
	store   state.Var[store]     `cell:"etcd cache: store"`
	reads   state.Var[[]read]    `cell:"etcd cache: reads"`
	request state.Var[requestor] `cell:"etcd cache: progressRequestor"`
	asking  state.List[sim.Conn] `cell:"etcd cache: clients that wait until it is ready"`
}

var layout = state.Of[Cache]()

var (
	_ sim.Node            = (*Cache)(nil)
	_ sim.Drained         = (*Cache)(nil)
	_ sim.Restarter       = (*Cache)(nil)
	_ sim.Cloner          = (*Cache)(nil)
	_ sim.Celled          = (*Cache)(nil)
	_ sim.Connected       = (*Cache)(nil)
	_ sim.Fingerprinter   = (*Cache)(nil)
	_ sim.Deadlines       = (*Cache)(nil)
	_ cache.Readiness     = (*Cache)(nil)
	_ cache.Mirror        = (*Cache)(nil)
	_ cache.Waiting       = (*Cache)(nil)
	_ clientv3.Subscriber = (*Cache)(nil)
)

// New returns a cache of the prefix that the configuration names. Of the configuration it uses Prefix, Etcd,
// WatchEndpoints, CallsTakeTurns and Options.Library, and of the amounts those that the design reads.
func New(cfg cache.Config) *Cache {
	cfg.RingCapacity = cmp.Or(cfg.RingCapacity, historyWindowSize)
	cfg.WatchCapacity = cmp.Or(cfg.WatchCapacity, perWatcherBufferSize)
	cfg.BlockTimeout = cmp.Or(cfg.BlockTimeout, waitTimeout)
	cfg.ProgressRequestPeriod = cmp.Or(cfg.ProgressRequestPeriod, progressRequestInterval)
	cfg.RelistDelay = cmp.Or(cfg.RelistDelay, initialBackoff)
	c := &Cache{cfg: cfg, client: &clientv3.Client{}}
	c.client.Reset(clientv3.Config{
		// The context of the library asks for no leader.
		Options: clientv3.Options{LeaderNotRequired: true},
		Etcd:    cfg.Etcd, WatchEndpoints: cfg.WatchEndpoints, CallsTakeTurns: cfg.CallsTakeTurns,
		RunTask:      clientv3.Series{First: taskRun, Step: tasksEach},
		BackoffTimer: clientv3.Series{First: timerBackoff, Step: timersEach}, RetryTimer: clientv3.Series{First: timerRetry, Step: timersEach},
	}, c)
	c.forget()
	return c
}

func (c *Cache) forget() {
	layout.Reset(c, 0, Cache{cfg: c.cfg, client: c.client})
	c.store.Value().capacity = c.cfg.RingCapacity
}

func (c *Cache) mistake(m cache.LibraryMistake) bool { return c.cfg.Library.Mistake == m }

// The tasks: one of watchEvents and one of progressRequestor, and then for each number a stream of the client library,
// a watcher, and a read. Timers likewise.
const (
	taskWatchEvents = iota
	taskProgress
	taskRun
	taskWatcher
	taskRead
	tasksEach = taskRead - taskRun + 1
)

const (
	timerGetWatch = iota
	timerResync
	timerProgress
	timerBackoff
	timerRetry
	timerRead
	timersEach = timerRead - timerBackoff + 1
)

func watcherTask(i int) sim.Task { return sim.Task(taskWatcher + i*tasksEach) }
func readTask(i int) sim.Task    { return sim.Task(taskRead + i*tasksEach) }
func readTimer(i int) sim.Timer  { return sim.Timer(timerRead + i*timersEach) }

func (c *Cache) Start(env *sim.Env) {
	env.Arm(timerProgress, c.cfg.ProgressRequestPeriod)
	c.getWatch(env)
}

func (c *Cache) Restart(env *sim.Env) {
	c.client.Restart(env)
	c.forget()
	c.Start(env)
}

func (c *Cache) Receive(env *sim.Env, m *sim.Message) {
	if c.client.IsEtcd(m.From) {
		c.client.Receive(env, m)
		return
	}
	if what := refuses(m.Payload); what != "" {
		c.refuseRequest(env, m, what)
		return
	}
	switch p := m.Payload.(type) {
	case *wire.ListRequest:
		c.list(env, m, p)
	case *wire.GetRequest:
		c.get(env, m, p)
	case *wire.WatchRequest:
		c.watch(env, m, p)
	case *wire.ReadyzRequest:
		if *c.ready.Look(env) {
			env.Send(m.Conn, &wire.ReadyzResponse{})
			return
		}
		c.asking.Add(env, m.Conn)
	case *sim.Hangup:
		c.clientGone(env, m.Conn)
	}
}

// refuses says what a request is that no call of the library answers, empty if one does.
func refuses(p sim.Payload) string {
	switch p := p.(type) {
	case *wire.ReadyzRequest, *sim.Hangup:
		return ""
	case *wire.ListRequest:
		switch {
		case p.Limit > 0 || p.Continue != "":
			return "a list in pages"
		case !p.Selector.Empty():
			return "a list of selected objects"
		case p.KeysOnly:
			return "a list of keys alone"
		case p.FromEtcd:
			return "a list that etcd has to answer"
		case p.ResourceVersion > 0 && p.Match != wire.MatchExact:
			return notOlder
		case p.ResourceVersion < wire.Unset, p.ResourceVersion == wire.Unset && p.Match != wire.MatchUnset, p.ResourceVersion == 0 && p.Match == wire.MatchExact:
			return "a resourceVersion that does not go with its match"
		}
		return ""
	case *wire.GetRequest:
		switch {
		case p.ResourceVersion > 0:
			return notOlder
		case p.ResourceVersion < wire.Unset:
			return "a resourceVersion below 0"
		}
		return ""
	case *wire.WatchRequest:
		switch {
		case p.SendInitialEvents == wire.SendInitialEventsTrue:
			return "a watch with initial events"
		case p.ResourceVersion <= 0:
			return "a watch without a resourceVersion"
		case p.Match != wire.MatchUnset:
			return "a watch whose resourceVersion has a match"
		case !p.Selector.Empty():
			return "a watch of selected objects"
		case p.TimeoutSeconds > 0:
			return "a watch that the cache ends after some time"
		}
		return ""
	}
	return "a write"
}

const notOlder = "a read not older than a resourceVersion"

func (c *Cache) refuseRequest(env *sim.Env, m *sim.Message, what string) {
	env.Cover(requestRefused)
	err := &wire.Error{Code: wire.BadRequest, Message: "cache: unsupported request parameters: " + what}
	if _, watches := m.Payload.(*wire.WatchRequest); watches {
		env.Send(m.Conn, &wire.WatchEvent{Type: wire.Failed, Err: err})
		env.Close(m.Conn)
		return
	}
	env.Send(m.Conn, err)
}

func (c *Cache) Run(env *sim.Env, t sim.Task) {
	switch t {
	case taskWatchEvents:
		c.watchEvents(env)
		return
	case taskProgress:
		c.signalled(env)
		return
	}
	i := (int(t) - taskRun) / tasksEach
	switch int(t) - i*tasksEach {
	case taskRun:
		c.client.Run(env, i)
	case taskWatcher:
		c.serve(env, i)
	default:
		c.look(env, i)
	}
}

func (c *Cache) Fire(env *sim.Env, t sim.Timer) {
	switch t {
	case timerGetWatch:
		c.getWatch(env)
		return
	case timerResync:
		c.resyncLaggingWatchers(env)
		return
	case timerProgress:
		c.progressTimer(env)
		return
	}
	i := (int(t) - timerBackoff) / timersEach
	switch int(t) - i*timersEach {
	case timerBackoff:
		c.client.Backoff(env, i)
	case timerRetry:
		c.client.Retry(env, i)
	default:
		c.timeout(env, i)
	}
}

func (c *Cache) IsDeadline(t sim.Timer) bool {
	return t >= timerBackoff && (int(t)-timerBackoff)%timersEach == timerRead-timerBackoff
}

// Drained implements sim.Drained: the channel of a watch has room.
func (c *Cache) Drained(env *sim.Env, conn sim.Conn) {
	for i, w := range c.demux.Look(env).watchers {
		if w.conn == conn && w.status != watcherNone {
			env.Enable(watcherTask(i))
		}
	}
}

// clientGone ends the watch or the read of a client.
func (c *Cache) clientGone(env *sim.Env, conn sim.Conn) {
	for i, w := range c.demux.Look(env).watchers {
		if w.conn == conn && w.status != watcherNone {
			c.demux.Change(env).free(env, i)
			return
		}
	}
	i := slices.IndexFunc(*c.reads.Look(env), func(r read) bool { return r.status != readNone && r.conn == conn })
	if i >= 0 {
		c.finish(env, i)
	}
}

func (c *Cache) TaskName(t sim.Task) string {
	switch t {
	case taskWatchEvents:
		return "watchEvents"
	case taskProgress:
		return "progress"
	}
	i := (int(t) - taskRun) / tasksEach
	switch int(t) - i*tasksEach {
	case taskRun:
		return "run" + c.client.StreamName(i)
	case taskWatcher:
		return "watcher " + strconv.Itoa(i+1)
	}
	return "read " + strconv.Itoa(i+1)
}

func (c *Cache) TimerName(t sim.Timer) string {
	switch t {
	case timerGetWatch:
		return "backoff of getWatch"
	case timerResync:
		return "resync"
	case timerProgress:
		return "progress"
	}
	i := (int(t) - timerBackoff) / timersEach
	switch int(t) - i*timersEach {
	case timerBackoff:
		return "backoff" + c.client.StreamName(i)
	case timerRetry:
		return "retry " + c.client.CallName(i)
	}
	return "timeout of read " + strconv.Itoa(i+1)
}

func (c *Cache) Ready() bool { return *c.ready.Value() }

// ResourceVersion is the revision of the store.
func (c *Cache) ResourceVersion() int64 { return c.store.Value().latest.rev }

func (c *Cache) Ascend(visit func(*wire.KeyValue) bool) {
	for _, kv := range c.store.Value().latest.kvs {
		if !visit(kv) {
			return
		}
	}
}

// Library is the client library, for judges.
func (c *Cache) Library() *clientv3.Client { return c.client }

func (c *Cache) Waiting() int { return c.request.Value().waiting }

func (c *Cache) Notices() (atLeast, atMost sim.Duration) { return c.client.Notices() }

func (c *Cache) Clone() sim.Node {
	n := layout.Clone(c)
	n.client = &clientv3.Client{}
	c.client.CloneTo(n.client, n)
	return n
}

func (c *Cache) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	layout.Cells(c, visit)
	c.client.Cells(visit)
}

func (c *Cache) Conns(visit func(sim.Conn)) {
	layout.Conns(c, visit)
	c.client.Conns(visit)
}

func (c *Cache) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, c) }

func init() {
	cache.RegisterDesign(cache.Design{
		Preset: option.Preset{
			Name: "etcd-cache", Doc: "etcd's own cache library, go.etcd.io/etcd/cache, before 3.8: no version check",
			// It answers every read itself, also of what its history has.
			Settings: option.Settings("ring=2048", "fresh-duration=1ms", "relist-delay=50ms", "get-unset=cache", "snapshots=on", "watch-prev-kv=unasked",
				"library-progress=later", "library-store=ended"),
		},
		New:        func(c cache.Config) sim.Node { return New(c) },
		Rests:      true,
		Unlisted:   true,
		SpeaksEtcd: true,
		Refuses:    refuses,
		// They are about the parts of a cacher, the client library and the watches of an API server, and its start.
		Lacks: []string{
			"nothing-left", "timers-owned", "cache-resumes", "backlog-bounded", "no-compacted-watches", "starts-as-checked",
			"client-bounded", "reopens-in-time", "range-streams",
		},
		Reads: []string{
			"ring", "watch-buf", "block-timeout", "progress-period", "relist-delay",
			"library-progress", "library-store", "library-watchers", "library-mistake",
		},
	})
}
