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
	records := c.records.Change(env)
	i := indexOf(*records, key)
	if i < 0 {
		return true
	}
	version := (*records)[i].version
	if c.cfg.Consistency == actsAtOnce || version <= store.Version() {
		*records = slices.Delete(*records, i, i+1)
		return true
	}
	waits.Say(env, key, version, store.Version())
	return false
}

// wrote is WroteAt: of an object the newest version stays.
func wrote(records []record, key string, version int64) []record {
	i := indexOf(records, key)
	if i < 0 {
		return append(records, record{key, version})
	}
	records[i].version = max(records[i].version, version)
	return records
}

func indexOf(records []record, key string) int {
	return slices.IndexFunc(records, func(r record) bool { return r.key == key })
}
