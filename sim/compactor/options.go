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
	// WatchRetry is the time before the first and between two watches of the key that
	// compactors compete for: 1 s.
	WatchRetry sim.Duration
}

// Deviations are how a compactor differs from Kubernetes'.
type Deviations struct {
	// Uncontested: a try compares nothing.
	Uncontested bool
	// CompactsPresent: a try compacts at the revision of now, and leaves no history.
	CompactsPresent bool
}

// Choices has an option for each deviation.
var Choices = option.NewGroup("compactor",
	option.Either("compact-guard", func(d *Deviations) *bool { return &d.Uncontested }, "under which condition a try of an API server to compact etcd succeeds",
		option.Val("version", "no other server has written compact_rev_key since its last try: as shipped"),
		option.Bug("none", "always (kubernetes#28202)")),
	option.Either("compact-to", func(d *Deviations) *bool { return &d.CompactsPresent }, "the revision that an API server compacts etcd at",
		option.Val("previous", "that of its last try, an interval ago: as shipped"),
		option.Bug("present", "that of etcd now: no release")),
)

// Group is all options but deviations.
var Group = option.NewGroup("compactor",
	option.Duration("compact-interval", func(o *Options) *time.Duration { return &o.Interval }, "5m", "time between two tries of an API server to compact etcd"),
	option.Period("compact-watch-retry", func(o *Options) *time.Duration { return &o.WatchRetry }, "1s", "time between two watches of compact_rev_key by an API server"),
)
