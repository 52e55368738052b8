package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// compaction is upstream's compactor of the cacher: it keeps the cache from
// serving history that etcd has compacted (KEP-4988, "Watch cache compaction").
// Only snapshots are dropped; the history of events is not, so that watches
// still start in what etcd no longer has.
type compaction struct {
	call  sim.Conn
	turns int
}

// startCompaction begins to follow the compactor of the API server.
func (c *Cache) startCompaction(env *sim.Env) {
	if !c.store.KeepsSnapshots() || c.cfg.Compactor == 0 {
		return
	}
	switch c.cfg.Snapshots.CompactionNotice {
	case CompactionPushed:
		c.askCompactor(env, 0)
	case CompactionPolled:
		c.pollCompactorLater(env)
	}
}

func (c *Cache) pollCompactorLater(env *sim.Env) {
	k := &c.compaction
	if !c.timed {
		if k.turns == c.cfg.UntimedTurns {
			return
		}
		k.turns++
	}
	env.Arm(timerCompaction, c.cfg.CompactionPollPeriod)
}

// pollCompactor is a turn of the poll: whatever there is, at once.
func (c *Cache) pollCompactor(env *sim.Env) { c.askCompactor(env, -1) }

func (c *Cache) askCompactor(env *sim.Env, above int64) {
	c.compaction.call = env.Call(c.cfg.Compactor, &wire.CompactRevisionRequest{Above: above})
}

// compactorAnswered is compactIfNeeded.
func (c *Cache) compactorAnswered(env *sim.Env, p sim.Payload) {
	c.compaction.call = sim.NoConn
	answer, ok := p.(*wire.CompactRevisionResponse)
	if !ok {
		// The compactor went away. It is a part of the same process, which is
		// about to start again.
		return
	}
	if c.store.Compact(env, answer.Revision) && env.Noting() {
		env.Say("keeps no snapshot from before the compaction at revision " + number(answer.Revision))
	}
	if c.cfg.Snapshots.CompactionNotice == CompactionPushed {
		c.askCompactor(env, c.store.CompactRevision())
	} else {
		c.pollCompactorLater(env)
	}
}

// CompactRevision is the compaction that the cache last heard of: it serves no
// past state from before it. 0 if it has heard of none.
func (c *Cache) CompactRevision() int64 { return c.store.CompactRevision() }

func (k *compaction) fingerprint(d sim.Digest) sim.Digest {
	return d.Int(int64(k.turns))
}
