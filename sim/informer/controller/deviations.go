package controller

import "github.com/watchbed/watchbed/sim/option"

// Deviations are how a controller differs from client-go's consistency store (KEP-5647).
type Deviations struct {
	// ActsAtOnce does without EnsureReady.
	ActsAtOnce bool
	// RecordsRead has WroteAt record the resourceVersion that was read.
	RecordsRead bool
}

// Choices has an option for each deviation.
var Choices = option.NewGroup("informers",
	option.Either("controller-consistency", func(d *Deviations) *bool { return &d.ActsAtOnce }, "when a controller acts on what is in the store of its informer",
		option.Val("own-writes", "when its own last write about the object is in the store: as shipped (KEP-5647)"),
		option.Bug("none", "at once, whatever it has written (before Kubernetes 1.36)")),
	option.Either("controller-records", func(d *Deviations) *bool { return &d.RecordsRead }, "the resourceVersion that a controller records of its own write",
		option.Val("answered", "that of the object in the answer: as shipped"),
		option.Bug("read", "that of the object that it had read: no release")),
)
