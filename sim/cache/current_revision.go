package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/cache/traffic"
	"github.com/watchbed/watchbed/sim/wire"
)

// revisionRequest is the question for etcd's revision: a range that is not
// expected to return data. What it costs etcd differs: the count walks the index
// over all keys of the resource.
func (c *Cache) revisionRequest() *wire.RangeRequest {
	prefix := c.cfg.Prefix
	switch c.cfg.CurrentRevision {
	case RevisionOfCount:
		return &wire.RangeRequest{Key: prefix, RangeEnd: store.RangeEnd(prefix), CountOnly: true}
	case RevisionOfEmptyRange:
		// No object has the bare prefix for its key; with a limit, a range cannot
		// be without one by mistake.
		return &wire.RangeRequest{Key: prefix, RangeEnd: prefix + "\x00", Limit: 1}
	}
	return &wire.RangeRequest{Key: prefix}
}

// getCurrentRevision asks etcd for its revision in the name of a read, at once or
// together with others.
func (c *Cache) getCurrentRevision(env *sim.Env, i int) {
	if c.cfg.RevisionSharing == RevisionAccumulated {
		c.reads[i].state = readAccumulating
		if !env.Armed(timerAccumulate) {
			env.Arm(timerAccumulate, c.cfg.AccumulatePeriod)
		}
		return
	}
	c.reads[i].state = readCurrentRevision
	c.reads[i].call = c.requestRevision(env)
}

// requestRevision sends the question.
func (c *Cache) requestRevision(env *sim.Env) sim.Conn {
	switch c.cfg.CurrentRevision {
	case RevisionOfCount:
		env.Cover(revisionOfCount)
	case RevisionOfEmptyRange:
		env.Cover(revisionOfEmptyRange)
	}
	traffic.Asked(env, traffic.CurrentRevision)
	return env.Call(c.cfg.KV, c.currentRevision)
}

// fireAccumulate asks for all reads that were gathered. Each of them came before
// the question, so the answer is not older than any.
func (c *Cache) fireAccumulate(env *sim.Env) {
	call := c.requestRevision(env)
	sharing := 0
	for i := range c.reads {
		if r := &c.reads[i]; r.state == readAccumulating {
			r.state, r.call = readCurrentRevision, call
			sharing++
		}
	}
	if sharing > 1 {
		env.Cover(revisionShared)
	}
}

// currentRevisionKnown is what a read does with etcd's revision.
func (c *Cache) currentRevisionKnown(env *sim.Env, i int, revision int64) {
	if c.cfg.Defects.CurrentRV == CurrentRVLastReader {
		kept := c.lastReaders(revision)
		if kept != revision && env.Noting() {
			env.Say("goes by revision " + number(kept) + " all the same, which it heard for the reader before")
		}
		revision = kept
	}
	r := &c.reads[i]
	switch {
	case r.exact == 0:
		c.waitUntilFresh(env, i, revision)
	case r.exact > revision:
		env.Cover(futureUnknown)
		c.finish(env, i, tooLarge)
	default:
		c.waitUntilFresh(env, i, r.exact)
	}
}
