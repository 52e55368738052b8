package reply

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Sending is a value of Events.
type Sending uint8

// Send says which events a response to a watch has, given the right ones. They belong to
// the store: a function that changes them changes a copy.
type Send func(env *sim.Env, right []wire.Event) []wire.Event

// Events are the ways to put events into a response.
var Events = option.NewSeam[Sending, Send]("sent-events", "which events etcd puts into a response to a watch").
	Shipped("right", "what its store says: all releases", func(_ *sim.Env, right []wire.Event) []wire.Event { return right })
