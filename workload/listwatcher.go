package workload

import (
	"strconv"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// ListWatchPlan is what a ListWatcher does.
type ListWatchPlan struct {
	// To are the caches: the client begins with the first, and goes on to the next
	// one after each round and when a cache is unavailable.
	To     []sim.NodeID
	Prefix string
	// Versions are the resourceVersions of its requests, in turn. Given stands for
	// the newest resourceVersion that the client knows, First before it knows any.
	Versions []int64
	First    int64
	// Rounds is how often it asks for initial events, Retries the number of further
	// attempts when a stream ends.
	Rounds, Retries int
	// Follow is the longest time that it stays after the initial events.
	Follow sim.Delay
	// Slow: the client takes one event at a time, one in Pace when timed.
	Slow bool
	Pace sim.Duration
	// Seconds is the timeout of each watch, 0 for none.
	Seconds int64
	// AwaitReady: the client begins when the cache is ready.
	AwaitReady bool
}

// Given in place of a resourceVersion is the newest that the client knows.
const Given int64 = -2

// ListWatcher asks a cache for initial events (KEP-3157), follows the stream for a
// while, and begins anew. It is no informer: it records the events and keeps no
// store.
type ListWatcher struct {
	streams
	plan ListWatchPlan
	// at is the cache in plan.To that it talks to.
	at int
	// round is how many lists were complete, retries how many attempts are left.
	round, retries int
	// known is the newest resourceVersion from which it may go on.
	known   int64
	waiting bool
}

// The timers of a ListWatcher.
const (
	listAgain sim.Timer = iota
	listLeave
	listPace
)

// Reset prepares the client for a run.
func (c *ListWatcher) Reset(name string, plan ListWatchPlan) {
	*c = ListWatcher{streams: c.reset(name), plan: plan, retries: plan.Retries, known: plan.First}
}

// Prefix is what the client watches.
func (c *ListWatcher) Prefix() string { return c.plan.Prefix }

// Done reports whether the client has had all its rounds, or has given up.
func (c *ListWatcher) Done() bool {
	return c.round >= c.plan.Rounds || c.conn == sim.NoConn && !c.waiting
}

func (c *ListWatcher) to() sim.NodeID { return c.plan.To[c.at%len(c.plan.To)] }

func (c *ListWatcher) Start(env *sim.Env) {
	if c.plan.AwaitReady {
		env.Write(cellOpen, 0)
		c.conn = env.Call(c.to(), &readyz)
		return
	}
	c.list(env)
}

// list asks for initial events, and stays until they end.
func (c *ListWatcher) list(env *sim.Env) {
	env.Disarm(listLeave)
	env.LookAt(cellRecord, 0)
	version := c.plan.Versions[len(c.all)%len(c.plan.Versions)]
	if version == Given {
		env.Read(cellPosition, 0)
		version = c.known
	}
	c.watch(env, c.request(version))
}

func (c *ListWatcher) request(version int64) *wire.WatchRequest {
	return &wire.WatchRequest{
		Prefix: c.plan.Prefix, ResourceVersion: version, Match: wire.MatchNotOlderThan,
		SendInitialEvents: wire.SendInitialEventsTrue, AllowBookmarks: true, TimeoutSeconds: c.plan.Seconds,
	}
}

// VisitAsked visits what the client asks for first, and of which node.
func (c *ListWatcher) VisitAsked(visit func(to sim.NodeID, p sim.Payload)) {
	visit(c.to(), c.request(c.plan.Versions[0]))
}

// resume goes on after the newest version that the client knows.
func (c *ListWatcher) resume(env *sim.Env) {
	env.Read(cellPosition, 0)
	c.watch(env, &wire.WatchRequest{Prefix: c.plan.Prefix, ResourceVersion: c.known, AllowBookmarks: true, TimeoutSeconds: c.plan.Seconds})
}

func (c *ListWatcher) watch(env *sim.Env, req *wire.WatchRequest) {
	env.LookAt(cellPlan, 0)
	c.streams.watch(env, c.to(), req, listWatchBegan)
}

func (c *ListWatcher) Receive(env *sim.Env, m *sim.Message) {
	env.LookAt(cellOpen, 0)
	if m.Conn != c.conn {
		return
	}
	switch p := m.Payload.(type) {
	case *wire.ReadyzResponse:
		c.list(env)
	case *wire.WatchEvent:
		c.event(env, p)
	default:
		if len(c.all) == 0 {
			env.Write(cellOpen, 0)
			c.conn = sim.NoConn
			c.wait(env)
			return
		}
		if h, ok := p.(*sim.Hangup); ok {
			c.last().HungUp = !h.Broken
		}
		c.ended(env, false)
	}
}

func (c *ListWatcher) event(env *sim.Env, e *wire.WatchEvent) {
	endsInitial := c.received(env, e)
	switch {
	case e.Type == wire.Failed:
		env.Close(c.conn)
		if e.Err.Code == wire.Unavailable {
			env.Write(cellPlan, 0)
			c.at++
		}
		c.ended(env, e.Err.Code == wire.ErrCompacted)
		return
	case endsInitial:
		env.Write(cellPosition, 0)
		env.Write(cellPlan, 0)
		c.known = e.ResourceVersion
		c.round++
		env.Arm(listLeave, c.follow(env))
	case c.followed():
		env.Write(cellPosition, 0)
		c.known = e.ResourceVersion
	}
	switch {
	case !c.plan.Slow:
	case env.Mode() == sim.Timed:
		env.Hold(c.conn)
		env.Arm(listPace, c.plan.Pace)
	default:
		env.Hold(c.conn)
		env.Enable(0)
	}
}

// followed reports whether changes are what comes next on the last stream: it has no initial
// events, or they have ended.
func (c *ListWatcher) followed() bool { return !c.last().IsList() || c.last().End >= 0 }

func (c *ListWatcher) follow(env *sim.Env) sim.Duration {
	f := c.plan.Follow
	if f.Steps == 0 || env.Mode() == sim.Untimed {
		return f.Max
	}
	return f.Max * sim.Duration(env.Choose(f.Steps+1, "follow")) / sim.Duration(f.Steps)
}

// ended: the stream is over. A stream whose initial events were complete is
// resumed, unless the version is too old.
func (c *ListWatcher) ended(env *sim.Env, tooOld bool) {
	env.Write(cellRecord, 0)
	env.Write(cellOpen, 0)
	c.conn = sim.NoConn
	if tooOld {
		env.Write(cellPosition, 0)
		c.known = c.plan.First
	}
	c.wait(env)
}

func (c *ListWatcher) wait(env *sim.Env) {
	env.Write(cellPlan, 0)
	c.waiting = c.retries > 0
	if c.waiting {
		c.retries--
		env.Arm(listAgain, sim.Duration(rewatchDelay))
	}
}

func (c *ListWatcher) Fire(env *sim.Env, t sim.Timer) {
	switch t {
	case listPace:
		env.LookAt(cellOpen, 0)
		env.Release(c.conn)
	case listLeave:
		c.leave(env)
	default:
		env.Write(cellOpen, 0)
		c.waiting = false
		c.attempt(env)
	}
}

// attempt asks again: for what follows, if the initial events were complete, else
// for everything.
func (c *ListWatcher) attempt(env *sim.Env) {
	env.LookAt(cellRecord, 0)
	env.LookAt(cellPosition, 0)
	if len(c.all) == 0 {
		c.Start(env)
		return
	}
	if c.known > c.plan.First && c.followed() {
		c.resume(env)
		return
	}
	c.list(env)
}

// leave ends a round.
func (c *ListWatcher) leave(env *sim.Env) {
	env.LookAt(cellPlan, 0)
	env.LookAt(cellOpen, 0)
	if c.round >= c.plan.Rounds {
		return
	}
	env.Disarm(listAgain)
	env.Write(cellOpen, 0)
	env.Write(cellRecord, 0)
	env.Write(cellPlan, 0)
	c.waiting = false
	env.Close(c.conn)
	c.at++
	c.list(env)
}

// Run implements sim.Node: a slow client takes the next event.
func (c *ListWatcher) Run(env *sim.Env, _ sim.Task) {
	env.LookAt(cellOpen, 0)
	env.Release(c.conn)
}

func (c *ListWatcher) TaskName(sim.Task) string { return "take the next event" }

func (c *ListWatcher) TimerName(t sim.Timer) string {
	switch t {
	case listPace:
		return "take the next event"
	case listLeave:
		return "begin round " + strconv.Itoa(c.round+1)
	}
	return "attempt " + strconv.Itoa(len(c.all)+1)
}

func (c *ListWatcher) Clone() sim.Node {
	d := *c
	d.streams = c.clone()
	return &d
}

func (c *ListWatcher) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, c) }

// Behaviour implements sim.Recorder. How many watches there were decides which version the
// next one names, and what the last one has come to whether the client resumes it.
func (c *ListWatcher) Behaviour(d sim.Digest) sim.Digest {
	if n := len(c.all); n > 0 {
		s := c.last()
		d = d.Int(int64(n % len(c.plan.Versions))).Bool(s.IsList()).Bool(s.End >= 0)
	}
	return sim.FoldCells(d, c, cellRecord)
}

func (c *ListWatcher) Cells(visit func(k sim.CellKind, index int, contents sim.Digest)) {
	visit(cellPlan, 0, sim.NewDigest.Int(int64(c.at)).Int(int64(c.round)).Int(int64(c.retries)))
	visit(cellOpen, 0, sim.NewDigest.Bool(c.waiting).Bool(c.conn != sim.NoConn))
	visit(cellPosition, 0, sim.NewDigest.Int(c.known))
	visit(cellRecord, 0, c.record())
}
