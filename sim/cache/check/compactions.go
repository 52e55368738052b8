package check

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// Compactions is upstream's compactor of the cacher: it keeps the cache from
// serving history that etcd has compacted (KEP-4988, "Watch cache compaction").
// Snapshots are dropped, and the history of events if the option watch-history says so:
// otherwise watches still start in what etcd no longer has.
type Compactions struct {
	// cfg is never written to between two resets: clones share it.
	cfg  *Config
	call sim.Conn
	// turns counts the polls of an untimed run. It survives the process.
	turns int
}

// start begins to follow the compactor of the API server, if there is one and the
// store drops anything when etcd is compacted.
func (c *Compactions) start(env *sim.Env, s *store.Store) {
	if s.HearsOfCompactions() && c.cfg.Compactor != 0 {
		c.next(env, 0)
	}
}

// next waits for a compaction above the revision that the cache knows: a question stays with the compactor until there
// is one, or is answered at once, whatever there is.
func (c *Compactions) next(env *sim.Env, compacted int64) {
	switch c.cfg.CompactionNotice {
	case CompactionPushed:
		c.ask(env, compacted)
	case CompactionPolled:
		c.pollLater(env)
	}
}

// pollLater asks when the period is over.
func (c *Compactions) pollLater(env *sim.Env) {
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
func (c *Compactions) Poll(env *sim.Env) { c.ask(env, -1) }

// ask asks the compactor for a compaction above a revision: the answer comes when
// there is one, at once if above is negative.
func (c *Compactions) ask(env *sim.Env, above int64) {
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
	c.next(env, s.CompactRevision())
	return true
}

func (c *Compactions) digest() sim.Digest {
	return sim.NewDigest.Int(int64(c.turns)).Bool(c.call != sim.NoConn)
}
