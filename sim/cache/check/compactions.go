package check

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Compactions is upstream's compactor of the cacher: it keeps the cache from
// serving history that etcd has compacted (KEP-4988, "Watch cache compaction").
// Snapshots are dropped, and the history of events if the option watch-history says so:
// otherwise watches still start in what etcd no longer has.
type Compactions struct {
	// cfg is never written to between two resets: clones share it.
	cfg    *Config
	notice Notice
	call   sim.Conn
	// turns counts the polls of an untimed run. It survives the process.
	turns int
}

// CompactionNotice chooses a Notice.
type CompactionNotice uint8

// Notice says how a cache learns that etcd was compacted. Begin
// runs with the process, Next after each answer of the compactor; compacted is the
// revision that the cache knows then.
type Notice interface {
	Begin(env *sim.Env, c *Compactions)
	Next(env *sim.Env, c *Compactions, compacted int64)
}

// CompactionNotices are the ways to learn of a compaction.
var CompactionNotices = option.NewSeam[CompactionNotice, Notice]("compaction-notice", "how a cache that drops what etcd has compacted learns that etcd was compacted").
	Shipped("pushed", "the compactor of the API server notifies the cache (KEP-4988)", pushed{})

// CompactionPushed is the default.
const CompactionPushed CompactionNotice = 0

// The other values of the option compaction-notice.
var (
	CompactionPolled = CompactionNotices.Register("polled", "it asks every 15 s: as shipped", polled{})
)

// pushed: a question stays with the compactor until there is a later compaction.
type pushed struct{}

func (pushed) Begin(env *sim.Env, c *Compactions)                 { c.Ask(env, 0) }
func (pushed) Next(env *sim.Env, c *Compactions, compacted int64) { c.Ask(env, compacted) }

// polled: a question is answered at once, whatever there is.
type polled struct{}

func (polled) Begin(env *sim.Env, c *Compactions)         { c.PollLater(env) }
func (polled) Next(env *sim.Env, c *Compactions, _ int64) { c.PollLater(env) }

// start begins to follow the compactor of the API server, if there is one and the
// store drops anything when etcd is compacted.
func (c *Compactions) start(env *sim.Env, s *store.Store) {
	if s.HearsOfCompactions() && c.cfg.Compactor != 0 {
		c.notice.Begin(env, c)
	}
}

// PollLater asks when the period is over.
func (c *Compactions) PollLater(env *sim.Env) {
	if env.Mode() != sim.Timed {
		env.Writes(cellCompactions, 0)
		if c.turns == c.cfg.UntimedTurns {
			return
		}
		c.turns++
	}
	env.Arm(c.cfg.CompactionTimer, c.cfg.CompactionPollPeriod)
}

// Poll is a turn of the poll.
func (c *Compactions) Poll(env *sim.Env) { c.Ask(env, -1) }

// Ask asks the compactor for a compaction above a revision: the answer comes when
// there is one, at once if above is negative.
func (c *Compactions) Ask(env *sim.Env, above int64) {
	env.Writes(cellCompactions, 0)
	c.call = env.Call(c.cfg.Compactor, &wire.CompactRevisionRequest{Above: above})
}

// answer is compactIfNeeded. It reports false if the call is another machine's.
func (c *Compactions) answer(env *sim.Env, conn sim.Conn, p sim.Payload, s *store.Store) bool {
	if conn != c.call {
		return false
	}
	env.LooksAt(cellCompactions, 0)
	env.Writes(cellCompactions, 0)
	c.call = sim.NoConn
	answer, ok := p.(*wire.CompactRevisionResponse)
	if !ok {
		// The compactor went away. It is a part of the same process, which is
		// about to start again.
		return true
	}
	if s.Compact(env, answer.Revision) && env.Noting() {
		env.Note(compacted{answer.Revision})
	}
	c.notice.Next(env, c, s.CompactRevision())
	return true
}

func (c *Compactions) digest() sim.Digest {
	return sim.NewDigest.Int(int64(c.turns)).Bool(c.call != sim.NoConn)
}
