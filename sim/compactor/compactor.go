// Package compactor (unstable) compacts etcd as Kubernetes' API servers do
// (k8s.io/apiserver, pkg/storage/etcd3/compact.go). One Compactor is one node,
// one for each API server.
//
// All API servers of a cluster run the same loop and compete. Once an interval
// each of them tries a transaction on compact_rev_key. If the version of the key
// is the one that this server saw last, no other server has compacted for an
// interval: the server writes the revision that it saw last to the key, and
// compacts etcd to it. Otherwise it takes over version and value, and keeps the
// present revision for its next try. So etcd keeps between one and two intervals
// of history, even if servers fail.
//
// With KEP-4988 each server also watches the key. It learns of other servers'
// compactions before its own next try, and answers the caches of its process with
// the compacted revision.
//
// Its messages:
//
//	Config.KV     calls of *wire.TxnRequest, *wire.CompactionRequest and
//	              *wire.RangeRequest
//	Config.Watch  stream, *wire.WatchStart
//	from caches   calls of *wire.CompactRevisionRequest
//
// # Yield points
//
//	runCompactLoop            timer "compact interval"; delivery of the answer to
//	                          the transaction; delivery of that to the compaction
//	runWatchLoop              timer "watch again"; delivery of the answer to the
//	                          read; delivery of each event
//	CompactRevision           delivery of the request
//
// # What differs from the original
//
//   - The watch goes through Kubernetes' etcd3 watcher instead of plain clientv3,
//     and starts after a revision instead of at it. What happened at the revision
//     of the read is part of the read.
//   - CompactRevision is a call of a method under a lock. Here it is a message: a
//     message that comes late is a caller that uses the answer late.
//   - Untimed, both loops stop after a bounded number of turns, so that runs end.
//
// The package imports sim and sim/wire, and nothing else of this module.
package compactor

import (
	"slices"
	"strconv"
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/state"
	"github.com/watchbed/watchbed/sim/wire"
)

const (
	timerCompact sim.Timer = iota
	timerWatch
)

// Compactor is upstream's type of that name. It implements sim.Node with all
// optional capabilities.
type Compactor struct {
	cfg   Config
	timed bool
	// lives counts the starts of the process.
	lives int

	// compactRevision is up to which revision the compactor knows etcd to be compacted.
	compactRevision state.Var[int64] `cell:"compactor: compact revision"`
	// asking are the caches that wait until the revision is above another, by their connection.
	asking state.List[question] `cell:"compactor: waiting caches"`
	loop   compactLoop
	watch  watchLoop
	// done is the number of compactions that etcd made for this server.
	done int
	// writes are the transactions that the compactor has requested, in all lives of the process.
	writes []Write
}

// Write is a transaction on the key.
type Write struct {
	// Call is when the compactor called etcd, a reading of sim.Env.Tick.
	Call    int64
	Request *wire.TxnRequest
}

type question struct {
	conn  sim.Conn
	above int64
}

func (q *question) Item() int64 { return int64(q.conn) }

// Digest leaves out the connection, whose number is no state.
func (q *question) Digest(d sim.Digest) sim.Digest { return d.Int(q.above) }

var layout = state.Of[Compactor]()

var (
	_ sim.Node          = (*Compactor)(nil)
	_ sim.Restarter     = (*Compactor)(nil)
	_ sim.Cloner        = (*Compactor)(nil)
	_ sim.Fingerprinter = (*Compactor)(nil)
	_ sim.Celled        = (*Compactor)(nil)
)

// New returns a compactor that has not started yet.
func New(cfg Config) *Compactor {
	c := &Compactor{}
	c.Reset(cfg)
	return c
}

// Reset makes the compactor a new one for another run, and keeps its memory.
func (c *Compactor) Reset(cfg Config) {
	cfg.setDefaults()
	layout.Reset(c, 0, Compactor{cfg: cfg})
}

// Reconfigure gives the compactor other options, as one has that comes in its place: its
// process is restarted next.
func (c *Compactor) Reconfigure(cfg Config) {
	cfg.setDefaults()
	c.cfg = cfg
}

func (c *Compactor) Start(env *sim.Env) {
	c.timed = env.Mode() == sim.Timed
	c.loop.at.Change(env).turns = c.cfg.Rounds
	c.watch.at.Change(env).turns = c.cfg.Rounds
	c.loop.sleep(env, c)
	if c.cfg.Watch != 0 {
		c.watch.sleep(env, c)
	}
}

// Restart implements sim.Restarter: the process is a new one. The turns that are
// left in an untimed run are not part of the process's memory.
func (c *Compactor) Restart(env *sim.Env) {
	turns, watchTurns := c.loop.at.Value().turns, c.watch.at.Value().turns
	layout.Reset(c, 0, Compactor{cfg: c.cfg, lives: c.lives + 1, done: c.done, writes: c.writes})
	c.Start(env)
	c.loop.at.Change(env).turns = turns
	c.watch.at.Change(env).turns = watchTurns
}

// CompactRevision is up to which revision the compactor knows etcd to be
// compacted, or about to be: the key is written before etcd compacts.
func (c *Compactor) CompactRevision() int64 { return *c.compactRevision.Value() }

// Compactions is the number of compactions that etcd made for this server.
func (c *Compactor) Compactions() int { return c.done }

// Writes are the transactions that the compactor has requested. The caller must not change them.
func (c *Compactor) Writes() []Write { return c.writes }

// updateCompactRevision keeps the greatest revision, and answers the caches that
// wait for it.
func (c *Compactor) updateCompactRevision(env *sim.Env, rev int64) {
	if rev <= *c.compactRevision.Look(env) {
		return
	}
	c.compactRevision.Set(env, rev)
	revisionKnown.Say(env, rev)
	for q := range c.asking.Take(env, func(q *question) bool { return q.above < rev }) {
		c.answer(env, q.conn)
	}
}

func (c *Compactor) answer(env *sim.Env, conn sim.Conn) {
	env.Send(conn, &wire.CompactRevisionResponse{Revision: c.compactRevision.Get(env)})
}

func (c *Compactor) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.CompactRevisionRequest:
		if p.Above < *c.compactRevision.Look(env) {
			c.answer(env, m.Conn)
		} else {
			c.asking.Add(env, question{m.Conn, p.Above})
		}
		return
	case *sim.Hangup:
		c.asking.Delete(env, func(q *question) bool { return q.conn == m.Conn })
	}
	switch m.Conn {
	case c.loop.call:
		c.loop.call = sim.NoConn
		c.compactAnswered(env, m.Payload)
	case c.watch.call:
		c.watch.call = sim.NoConn
		c.keyRead(env, m.Payload)
	case c.watch.stream:
		c.keyChanged(env, m.Payload)
	}
}

func (c *Compactor) Fire(env *sim.Env, t sim.Timer) {
	if t == timerCompact {
		c.compact(env)
	} else {
		c.readKey(env)
	}
}

// Run implements sim.Node; a compactor has no loops besides its timers.
func (c *Compactor) Run(*sim.Env, sim.Task) {}

func (c *Compactor) TaskName(sim.Task) string { return "" }

func (c *Compactor) TimerName(t sim.Timer) string {
	if t == timerCompact {
		return "compact interval"
	}
	return "watch again"
}

func (c *Compactor) Clone() sim.Node {
	clone := layout.Clone(c)
	clone.writes = slices.Clip(c.writes)
	return clone
}

func (c *Compactor) Conns(visit func(sim.Conn))          { layout.Conns(c, visit) }
func (c *Compactor) Cells(visit sim.CellVisitor)         { layout.Cells(c, visit) }
func (c *Compactor) Fingerprint(d sim.Digest) sim.Digest { return sim.FoldCells(d, c) }

// parse reads the value of the key. It returns 0 for a value that is no number.
func parse(value string) int64 {
	rev, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0
	}
	return rev
}

// Config is what one compactor is made of. Fields left at zero take the
// original's values; KV has none.
type Config struct {
	Options
	Deviations
	// KV is the node that takes unary requests: etcd, or the client before it.
	KV sim.NodeID
	// Watch is the node that takes watches. If it is 0 the compactor does not watch
	// the key, and hears of other servers' compactions when it loses against them
	// (Kubernetes before 1.33).
	Watch sim.NodeID
	// Rounds is the number of turns of each loop in an untimed run: 3. The very
	// first try only makes the key, the second is the first one that compacts.
	Rounds int
}

func (c *Config) setDefaults() {
	if c.Interval == 0 {
		c.Interval = 5 * time.Minute
	}
	if c.WatchRetry == 0 {
		c.WatchRetry = time.Second
	}
	if c.Rounds == 0 {
		c.Rounds = 3
	}
}

// Options are everything about a compactor that can be set by name. Those left at
// zero are what Kubernetes has.
type Options struct {
	// Interval is the time between two tries: 5 min.
	Interval sim.Duration
	// WatchRetry is the time before the first and between two watches of the key that
	// compactors compete for: 1 s.
	WatchRetry sim.Duration
}

// Deviations are how a compactor differs from Kubernetes'.
type Deviations struct {
	Uncontested     bool
	CompactsPresent bool
}

// Choices has an option for each deviation.
var Choices = option.NewGroup("compactor",
	option.Either("compact-guard", func(d *Deviations) *bool { return &d.Uncontested }, "under which condition a try of an API server to compact etcd succeeds",
		option.Val("version", "no other server has written compact_rev_key since its last try: as shipped"),
		option.Bug("none", "always (kubernetes#28202)")),
	option.Either("compact-to", func(d *Deviations) *bool { return &d.CompactsPresent }, "the revision that an API server compacts etcd at",
		option.Val("previous", "that of its last try, an interval ago: as shipped"),
		option.Bug("present", "that of etcd now: no release")),
)

// Group is all options but deviations.
var Group = option.NewGroup("compactor",
	option.Duration("compact-interval", func(o *Options) *time.Duration { return &o.Interval }, "5m", "time between two tries of an API server to compact etcd"),
	option.Period("compact-watch-retry", func(o *Options) *time.Duration { return &o.WatchRetry }, "1s", "time between two watches of compact_rev_key by an API server"),
)
