package shell

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// compactor is the node that knows how far etcd is compacted. It knows what
// Cache.Compacted told it.
type compactor struct {
	passive
	revision int64
	// waiting are the calls that want to hear of a later compaction, and above which one.
	waiting map[sim.Conn]int64
}

// Compacted tells the cache that etcd has compacted what came before a revision: a design
// that keeps snapshots answers lists at earlier revisions from them no more. A revision that
// is not above the last one changes nothing. The cache hears of no compaction otherwise.
func (c *Cache) Compacted(revision int64) error {
	if !c.loop.post(c.compactorID, func(env *sim.Env) { c.compactor.compacted(env, revision) }) {
		return ErrClosed
	}
	return nil
}

func (c *compactor) compacted(env *sim.Env, revision int64) {
	c.revision = max(c.revision, revision)
	for conn, above := range c.waiting {
		if c.revision > above {
			delete(c.waiting, conn)
			env.Send(conn, &wire.CompactRevisionResponse{Revision: c.revision})
		}
	}
}

func (c *compactor) Receive(env *sim.Env, m *sim.Message) {
	switch p := m.Payload.(type) {
	case *wire.CompactRevisionRequest:
		if c.revision > p.Above {
			env.Send(m.Conn, &wire.CompactRevisionResponse{Revision: c.revision})
			return
		}
		c.waiting[m.Conn] = p.Above
	case *sim.Hangup:
		delete(c.waiting, m.Conn)
	}
}
