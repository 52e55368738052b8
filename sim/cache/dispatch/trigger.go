package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// A resource whose objects are indexed by a field, as pods are by spec.nodeName, has the
// trigger of that field: a watch that selects one value of it is given the events of
// objects with this value only, not all events to leave most of them out (upstream's
// indexedTrigger, and valueWatchers of indexedWatchers).

// WatchTrigger is the value of the option watch-trigger.
type WatchTrigger uint8

// TriggerRule reports whether an event triggers the watches of a value of a field. The
// event is of a change of an object.
type TriggerRule func(field *store.Field, value string, e *wire.WatchEvent) bool

// Triggers is the seam of which watches are given an event, of those that select by the
// field of the trigger.
var Triggers = option.NewSeam[WatchTrigger, TriggerRule]("watch-trigger",
	"which events are given to a watch that selects by the field that the resource is indexed by").
	Shipped("both", "those of objects that have its value after the change, or had it before",
		func(field *store.Field, value string, e *wire.WatchEvent) bool {
			return field.Value(e.Item) == value || e.Prev != nil && field.Value(e.Prev) == value
		})

// triggerOf is the field of the trigger, nil if there is none. Upstream allows one.
func triggerOf(fields store.Fields) *store.Field {
	for i := range fields {
		if fields[i].Indexed {
			return &fields[i]
		}
	}
	return nil
}

// triggers reports whether a watch is to be given an event.
func (d *Dispatcher) triggers(env *sim.Env, w *Watcher, e *store.Event) bool {
	if d.trigger == nil || !w.triggered || e.ForWatchers == nil || d.triggerRule(d.trigger, w.request.Selector.Value, e.ForWatchers) {
		return true
	}
	env.Cover(eventNotTriggering)
	if env.Noting() && w.Convert(e.ForWatchers) != nil {
		env.Note(untriggered{w.from, e.ResourceVersion})
	}
	return false
}

// maxChannelSize is the greatest size of each of a watcher's two channels: the fewer
// events a watch is given, the fewer it has to hold (maxWatchChanSizeWithoutIndex and its
// kin).
func (d *Dispatcher) maxChannelSize(w *Watcher) int {
	switch {
	case d.trigger == nil:
		return 100
	case w.triggered:
		return 10
	}
	return 1000
}
