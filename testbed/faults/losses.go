package faults

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// loss is what may get lost of an event on its way to a cache. Each leaves another kind
// of divergence: an old object or a missing one, one that etcd has deleted, one that is as
// new as etcd's and has no value, one that has its value and not its revision.
type loss struct {
	label   string
	match   func(sim.Payload) bool
	instead func(sim.Payload) sim.Payload
}

// lostSnapshot is no loss on the way: the cache itself keeps no snapshot of the state
// after an event.
const lostSnapshot = "snapshot"

var losses = map[string]loss{
	"":         wholeEvent,
	"event":    wholeEvent,
	"deletion": {"deletion of ", changes(func(e *wire.WatchEvent) bool { return e.Type == wire.Deleted }), nil},
	"value": {"value of ", changes(func(e *wire.WatchEvent) bool { return isPut(e) && e.Item.Value != "" }),
		changed(func(item *wire.KeyValue) { item.Value = "" })},
	"version": {"version of ", changes(func(e *wire.WatchEvent) bool { return isPut(e) && e.Item.ModRevision == e.ResourceVersion }),
		changed(func(item *wire.KeyValue) { item.ModRevision-- })},
}

var wholeEvent = loss{"event of ", changes(func(e *wire.WatchEvent) bool {
	return e.Type == wire.Added || e.Type == wire.Modified || e.Type == wire.Deleted
}), nil}

func changes(match func(*wire.WatchEvent) bool) func(sim.Payload) bool {
	return func(p sim.Payload) bool {
		e, ok := p.(*wire.WatchEvent)
		return ok && match(e)
	}
}

func isPut(e *wire.WatchEvent) bool { return e.Type == wire.Added || e.Type == wire.Modified }

// changed is the event with another object.
func changed(change func(item *wire.KeyValue)) func(sim.Payload) sim.Payload {
	return func(p sim.Payload) sim.Payload {
		e := *p.(*wire.WatchEvent)
		item := *e.Item
		change(&item)
		e.Item = &item
		return &e
	}
}
