package informer

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer/rules"
)

// Config is what one informer is made of.
type Config struct {
	Options
	// Rules are client-go's if they are zero.
	Rules rules.Options
	// Prefix of the resource's keys; it ends in "/": "/registry/pods/".
	Prefix string
	// Servers are the API servers behind one address. The informer begins with
	// the first, and connects to the next one when its connection breaks or its
	// process restarts.
	Servers []sim.NodeID
	// AwaitReady makes a process wait until the API server is ready.
	AwaitReady bool
}

func (c *Config) setDefaults() {
	if c.MinWatchTimeout == 0 {
		c.MinWatchTimeout = 5 * time.Minute
	}
}
