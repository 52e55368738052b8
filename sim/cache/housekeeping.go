package cache

import (
	"slices"

	"github.com/watchbed/watchbed/sim"
)

// housekeeping is what goes on beside reads and watches: who follows the
// compactions, and who compares the contents with etcd's.
type housekeeping struct {
	compaction  compaction
	checker     checker
	comparisons []comparison
	detections  detections
}

func (h *housekeeping) reset() {
	*h = housekeeping{comparisons: h.comparisons[:0], detections: h.detections[:0]}
}

// forget drops what a process keeps in memory. The turns that are left of an
// untimed run and the log of detections are not that.
func (h *housekeeping) forget() {
	h.detections.abandon()
	clear(h.comparisons)
	*h = housekeeping{
		compaction:  compaction{turns: h.compaction.turns},
		checker:     checker{turns: h.checker.turns, checks: h.checker.checks},
		comparisons: h.comparisons[:0], detections: h.detections,
	}
}

func (h *housekeeping) clone() housekeeping {
	c := *h
	c.comparisons, c.detections = slices.Clone(h.comparisons), slices.Clone(h.detections)
	return c
}

func (h *housekeeping) fingerprint(d sim.Digest) sim.Digest {
	d = h.detections.fingerprint(h.checker.fingerprint(h.compaction.fingerprint(d)))
	for i := range h.comparisons {
		d = d.Int(int64(h.comparisons[i].detection))
	}
	return d
}

func (c *Cache) startHousekeeping(env *sim.Env) {
	c.startCompaction(env)
	c.startChecker(env)
}

// housekeepingAnswered takes what came on a connection, or that it is gone; it
// returns false if the connection is somebody else's.
func (c *Cache) housekeepingAnswered(env *sim.Env, m *sim.Message) bool {
	switch m.Conn {
	case c.compaction.call:
		c.compactorAnswered(env, m.Payload)
		return true
	case c.checker.call:
		c.checkAnswered(env, m.Payload)
		return true
	}
	return len(c.comparisons) > 0 && c.compared(env, m.Conn, m.Payload)
}

// process are the nodes that go down with this one.
func (c *Cache) process(env *sim.Env) []sim.NodeID {
	if c.cfg.Process != nil {
		return c.cfg.Process
	}
	return []sim.NodeID{env.Self()}
}
