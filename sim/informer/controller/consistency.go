package controller

import (
	"slices"
	"time"

	"github.com/watchbed/watchbed/sim"
)

// requeueAfter stands for the back-off of the work queue, which begins with 5 ms.
const requeueAfter = 5 * time.Millisecond

// ready is EnsureReady: the store has come to what was recorded of an object.
func (c *Controller) ready(env *sim.Env, key string, store Store) bool {
	env.Writes(cellRecords, 0)
	i := c.recorded(key)
	if i < 0 {
		return true
	}
	if c.cfg.ActsAtOnce || c.records[i].version <= store.Version() {
		c.records = slices.Delete(c.records, i, i+1)
		return true
	}
	env.Cover(waited)
	if env.Noting() {
		env.Note(waits{key, c.records[i].version, store.Version()})
	}
	return false
}

// wroteAt is WroteAt.
func (c *Controller) wroteAt(env *sim.Env, key string, version int64) {
	env.Writes(cellRecords, 0)
	if c.cfg.RecordsRead {
		version = c.read.ModRevision
	}
	if i := c.recorded(key); i >= 0 {
		c.records[i].version = max(c.records[i].version, version)
		return
	}
	c.records = append(c.records, record{key, version})
}

func (c *Controller) recorded(key string) int {
	return slices.IndexFunc(c.records, func(r record) bool { return r.key == key })
}
