package compactor

import (
	"time"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Options are everything about a compactor that can be set by name. Those left at
// zero are what Kubernetes has.
type Options struct {
	// Interval is the time between two tries: 5 min.
	Interval sim.Duration
}

// Group is all options.
var Group = option.NewGroup("compactor",
	option.Duration("compact-interval", func(o *Options) *time.Duration { return &o.Interval }, "5m", "time between two tries of an API server to compact etcd"),
)
