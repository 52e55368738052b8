package faults

import (
	"strings"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// loss is what may get lost of an event on its way to a cache. Each leaves another kind
// of divergence: an old object or a missing one, one that etcd has deleted, one that is as
// new as etcd's and has no value, one that has its value and not its revision.
type loss struct {
	label string
	// strikes says which changes of an object count: put or deleted, at a revision.
	strikes func(put bool, item *wire.KeyValue, revision int64) bool
	// changed is what becomes of the object. Without it the whole event is lost.
	changed func(item *wire.KeyValue)
}

// lostSnapshot is no loss on the way: the cache itself keeps no snapshot of the state
// after an event.
const lostSnapshot = "snapshot"

var losses = map[string]loss{
	"":         wholeEvent,
	"event":    wholeEvent,
	"deletion": {"deletion of ", func(put bool, _ *wire.KeyValue, _ int64) bool { return !put }, nil},
	"value": {"value of ", func(put bool, item *wire.KeyValue, _ int64) bool { return put && item.Value != "" },
		func(item *wire.KeyValue) { item.Value = "" }},
	"version": {"version of ", func(put bool, item *wire.KeyValue, revision int64) bool { return put && item.ModRevision == revision },
		func(item *wire.KeyValue) { item.ModRevision-- }},
}

var wholeEvent = loss{"event of ", func(bool, *wire.KeyValue, int64) bool { return true }, nil}

// betweenLibraryAndCache is the loss of an event that a client library hands to a cache.
func (l *loss) betweenLibraryAndCache(library, cache sim.NodeID, name string) sim.Fault {
	f := &sim.LoseMessage{From: library, To: cache, Label: l.label + name, Match: func(p sim.Payload) bool {
		e, ok := p.(*wire.WatchEvent)
		return ok && (isPut(e) || e.Type == wire.Deleted) && l.strikes(isPut(e), e.Item, e.ResourceVersion)
	}}
	if l.changed != nil {
		f.Instead = func(p sim.Payload) sim.Payload {
			e := *p.(*wire.WatchEvent)
			e.Item = l.of(e.Item)
			return &e
		}
	}
	return f
}

func isPut(e *wire.WatchEvent) bool { return e.Type == wire.Added || e.Type == wire.Modified }

// betweenEtcdAndCache is the loss of an event of a resource that a member of etcd sends to a
// cache that brings a client library of its own. Of several events in one response it is the first.
func (l *loss) betweenEtcdAndCache(member, cache sim.NodeID, name, prefix string) sim.Fault {
	strikes := func(e *wire.Event) bool {
		return strings.HasPrefix(e.Kv.Key, prefix) && l.strikes(e.Type == wire.Put, e.Kv, e.Kv.ModRevision)
	}
	return &sim.LoseMessage{
		From: member, To: cache, Label: l.label + name,
		Match: func(p sim.Payload) bool {
			r, ok := p.(*wire.WatchResponse)
			return ok && first(r, strikes) >= 0
		},
		Instead: func(p sim.Payload) sim.Payload {
			r := *p.(*wire.WatchResponse)
			at := first(&r, strikes)
			r.Events = append([]wire.Event(nil), r.Events...)
			if l.changed != nil {
				r.Events[at].Kv = l.of(r.Events[at].Kv)
				return &r
			}
			r.Events = append(r.Events[:at], r.Events[at+1:]...)
			if len(r.Events) == 0 {
				// A response without events would be a progress notification.
				return nil
			}
			return &r
		},
	}
}

func first(r *wire.WatchResponse, strikes func(*wire.Event) bool) int {
	for i := range r.Events {
		if strikes(&r.Events[i]) {
			return i
		}
	}
	return -1
}

// of is the object as it arrives.
func (l *loss) of(item *wire.KeyValue) *wire.KeyValue {
	changed := *item
	l.changed(&changed)
	return &changed
}
