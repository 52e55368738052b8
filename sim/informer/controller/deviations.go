package controller

import "github.com/watchbed/watchbed/sim/option"

// Deviations are how a controller differs from client-go's consistency store (KEP-5647).
type Deviations struct {
	Consistency Consistency
	// RecordsRead has WroteAt record the resourceVersion that was read.
	RecordsRead bool
}

// Consistency says when a controller acts on the store of its informer.
type Consistency uint8

const (
	awaitsOwnWrites Consistency = iota
	getsObject
	actsAtOnce
)

// Choices has an option for each deviation.
var Choices = option.NewGroup("informers",
	option.Choice("controller-consistency", func(d *Deviations) *Consistency { return &d.Consistency }, "when a controller acts on what is in the store of its informer",
		option.Val("own-writes", "when its own last write about the object is in the store: as shipped (KEP-5647)"),
		option.Val("get", "as own-writes, but in place of waiting it acts on the answer to a GET without a resourceVersion, from the next API server if there is one: no release"),
		option.Bug("none", "at once, whatever it has written (before Kubernetes 1.36)")),
	option.Either("controller-records", func(d *Deviations) *bool { return &d.RecordsRead }, "the resourceVersion that a controller records of its own write",
		option.Val("answered", "that of the object in the answer: as shipped"),
		option.Bug("read", "that of the object that it had read: no release")),
)
