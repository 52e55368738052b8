package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Buffer says what becomes of events that are dispatched to a watcher while it
// sends its initial events, when they fill its channel (KEP-3157, step 2b).
type Buffer uint8

// Buffering is what a watcher does that sends its initial events. An alternative
// embeds AsShipped and says what it does differently; those that we have are in
// package variant.
type Buffering interface {
	// Begin says what a watch waits for, if the bookmark timer finds the end of its
	// initial events.
	Begin(w *Watcher) Beginning
	// MakeRoom reports whether an event fits a full channel after all.
	MakeRoom(env *sim.Env, w *Watcher, e *store.Event) bool
	// Put says how an event is kept in the channel, Take what is sent for an event that
	// was kept; nil is nothing.
	Put(env *sim.Env, w *Watcher, e store.Event) store.Event
	Take(env *sim.Env, w *Watcher, e *wire.WatchEvent) *wire.WatchEvent
	// Injects reports whether events are sent between initial ones. Between returns
	// one to send before the next initial event, nil for none.
	Injects() bool
	Between(env *sim.Env, w *Watcher) *wire.WatchEvent
	// EndsDrained reports whether a watcher that is drained ends with the bookmark
	// that ends its initial events, not with the last event in its channel.
	EndsDrained() bool
}

// Buffers is the seam of what becomes of events that are dispatched to a watcher
// while it sends its initial events.
var Buffers = option.NewSeam[Buffer, Buffering]("initial-events-buffer",
	"what becomes of events that fill a watcher's channel while it sends its initial events (KEP-3157, step 2b)").
	Shipped("as-shipped",
		"the dispatcher waits within its budget and then ends the watcher; it drains it first if the end bookmark is in the channel", AsShipped{})

// BufferAsShipped is the shipped value.
const BufferAsShipped Buffer = 0

// AsShipped does nothing for a watcher that sends its initial events: it is
// terminated like any other that does not keep up, and drained before if the
// bookmark that ends its initial events is in its channel.
type AsShipped struct{}

// Begin implements Buffering.
func (AsShipped) Begin(*Watcher) Beginning { return Beginning{} }

// MakeRoom implements Buffering.
func (AsShipped) MakeRoom(*sim.Env, *Watcher, *store.Event) bool { return false }

// Put implements Buffering.
func (AsShipped) Put(_ *sim.Env, _ *Watcher, e store.Event) store.Event { return e }

// Take implements Buffering.
func (AsShipped) Take(_ *sim.Env, _ *Watcher, e *wire.WatchEvent) *wire.WatchEvent { return e }

// Injects implements Buffering.
func (AsShipped) Injects() bool { return false }

// Between implements Buffering.
func (AsShipped) Between(*sim.Env, *Watcher) *wire.WatchEvent { return nil }

// EndsDrained implements Buffering.
func (AsShipped) EndsDrained() bool { return false }

// What a buffering needs of the watcher, beside InputLen, TakeInput, Concerns and Convert:

// Required is the resourceVersion that the client has to be brought to.
func (w *Watcher) Required() int64 { return w.required }

// Capacity is how many events the watcher's channel holds.
func (w *Watcher) Capacity() int { return int(w.capacity) }

// SetCapacity changes how many events the watcher's channel holds.
func (w *Watcher) SetCapacity(n int) { w.capacity = int32(n) }

// Input lists the events in the watcher's channel, the oldest first. They must not
// be changed.
func (w *Watcher) Input() []store.Event { return w.input.All() }

// Known reports whether the initial events have a change already, by its
// resourceVersion.
func (w *Watcher) Known(env *sim.Env, resourceVersion int64) bool {
	env.LooksAt(cellInitial, w.number)
	return resourceVersion <= w.floor
}

// Forget drops the object of an event in the watcher's channel, by its place there.
// The event itself goes on and brings nothing.
func (w *Watcher) Forget(env *sim.Env, place int) {
	env.Writes(cellInput, w.number)
	w.input.All()[place].ForWatchers = nil
}

// AwaitsEndByTimer: the bookmark that ends the initial events is not in the channel,
// and will come to it.
func (w *Watcher) AwaitsEndByTimer(env *sim.Env) bool {
	env.LooksAt(cellEnd, w.number)
	env.LooksAt(cellTurn, w.number)
	behindInterval := w.intervalEnd != 0 || w.inHand != nil && w.inHand.InitialEventsEnd
	return w.endBookmark == endBookmarkWaiting && !behindInterval
}

// Stored is the object of a key in the cache's store now, nil if there is none.
func (w *Watcher) Stored(env *sim.Env, key *wire.KeyValue) *wire.KeyValue {
	return w.dispatcher.cfg.Store.Get(env, key)
}

// Amounts are those of the dispatcher.
func (w *Watcher) Amounts() *Amounts { return &w.dispatcher.cfg.Amounts }

// Buffering is what the design does with a watcher that sends its initial events.
func (w *Watcher) Buffering() Buffering { return w.dispatcher.buffer }

// AdvanceInitial moves a watcher on that sends its initial events to the
// resourceVersion of an event from its channel. It returns false if the initial
// events have that one already. The resourceVersion of the bookmark that ends
// them covers what was sent before it.
func (w *Watcher) AdvanceInitial(env *sim.Env, resourceVersion int64) bool {
	env.LooksAt(cellInitial, w.number)
	if resourceVersion <= w.floor {
		env.Cover(inputBelowFloor)
		return false
	}
	env.WritesItem(cellInitial, w.number, resourceVersion)
	w.floor = resourceVersion
	env.LooksAt(cellEnd, w.number)
	if w.intervalEnd != 0 {
		env.Writes(cellEnd, w.number)
		w.intervalEnd = max(w.intervalEnd, resourceVersion)
	}
	return true
}

// MergeInitial puts an event in the place of the initial event of its object. It
// returns false if that was sent, or is not there.
func (w *Watcher) MergeInitial(e *wire.WatchEvent) bool { return w.interval.Merge(e) }
