package compactor

import (
	"time"

	"github.com/watchbed/watchbed/sim"
)

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
