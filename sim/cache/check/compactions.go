package check

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// compactions is upstream's compactor of the cacher: it keeps the cache from
// serving history that etcd has compacted (KEP-4988, "Watch cache compaction").
// Snapshots are dropped, and the history of events if the option watch-history says so:
// otherwise watches still start in what etcd no longer has.
type compactions struct {
	// turns counts the polls of an untimed run. It survives the process.
	turns int
	call  sim.Conn
}

// awaitCompaction waits for a compaction above the revision that the cache knows: a question stays with the compactor
// until there is one, or is answered at once, whatever there is.
func (h *Housekeeping) awaitCompaction(env *sim.Env, known int64) {
	switch h.cfg.CompactionNotice {
	case CompactionPushed:
		h.ask(env, known)
	case CompactionPolled:
		if env.Mode() != sim.Timed {
			c := h.compactions.Change(env)
			if c.turns == h.cfg.UntimedTurns {
				return
			}
			c.turns++
		}
		env.Arm(h.cfg.CompactionTimer, h.cfg.CompactionPollPeriod)
	}
}

// Poll is a turn of the poll.
func (h *Housekeeping) Poll(env *sim.Env) { h.ask(env, -1) }

// ask asks the compactor for a compaction above a revision: the answer comes when
// there is one, at once if above is negative.
func (h *Housekeeping) ask(env *sim.Env, above int64) {
	h.compactions.Change(env).call = env.Call(h.cfg.Compactor, &wire.CompactRevisionRequest{Above: above})
}

// compacted is compactIfNeeded.
func (h *Housekeeping) compacted(env *sim.Env, p sim.Payload) {
	h.compactions.Look(env)
	h.compactions.Change(env).call = sim.NoConn
	answer, ok := p.(*wire.CompactRevisionResponse)
	if !ok {
		// The compactor went away. It is a part of the same process, which is
		// about to start again.
		return
	}
	if h.store.Compact(env, answer.Revision) {
		compacted.Say(env, answer.Revision)
	}
	h.awaitCompaction(env, h.store.CompactRevision())
}
