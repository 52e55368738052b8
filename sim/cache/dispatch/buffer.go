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

// Buffering is what a watcher does that sends its initial events. As shipped it does nothing: it is
// terminated like any other that does not keep up, and drained before if the
// bookmark that ends its initial events is in its channel. A design says in which parts it differs.
type Buffering struct {
	// Begin says what a watch waits for, if the bookmark timer finds the end of its
	// initial events.
	Begin func(w *Watcher) Beginning
	// MakeRoom reports whether an event fits a full channel after all.
	MakeRoom func(env *sim.Env, w *Watcher, e *store.Event) bool
	// Put says how an event is kept in the channel, Take what is sent for an event that
	// was kept; nil is nothing.
	Put  func(env *sim.Env, w *Watcher, e store.Event) store.Event
	Take func(env *sim.Env, w *Watcher, e *wire.WatchEvent) *wire.WatchEvent
	// Between returns an event to send before the next initial one, nil for none. With it events are sent between
	// initial ones.
	Between func(env *sim.Env, w *Watcher) *wire.WatchEvent
	// EndsDrained: a watcher that is drained ends with the bookmark
	// that ends its initial events, not with the last event in its channel.
	EndsDrained bool
}

// Buffers is the seam of what becomes of events that are dispatched to a watcher
// while it sends its initial events.
var Buffers = option.NewSeam[Buffer, Buffering]("initial-events-buffer",
	"what becomes of events that fill a watcher's channel while it sends its initial events (KEP-3157, step 2b)").
	Shipped("as-shipped",
		"the dispatcher waits within its budget and then ends the watcher; it drains it first if the end bookmark is in the channel", Buffering{}).Off(0)

// BufferAsShipped is the shipped value.
const BufferAsShipped Buffer = 0

// The other values of initial-events-buffer, all of KEP-3157's step 2b.
var (
	BufferCloseEnough = Buffers.Register("close-enough",
		"the watch begins when fewer revisions are missing than the channel holds; after 10 s the connection is torn down for the client to find another API server (first option for beta; needs initial-events-end=timer)",
		Buffering{Begin: closeEnough, EndsDrained: true})
	BufferDynamic = Buffers.Register("dynamic",
		"the channel doubles until the end bookmark was sent (second option)", Buffering{MakeRoom: double})
	BufferCapped = Buffers.Register("cap",
		"the channel grows to 2 MB of keys and values (fourth option)", Buffering{MakeRoom: doubleToCap})
	BufferInject = Buffers.Register("inject",
		"events are sent between the initial ones, to the letter of the third option: an initial event may follow a newer one of the same object",
		Buffering{Between: func(env *sim.Env, w *Watcher) *wire.WatchEvent { return inject(env, w, false) }})
	BufferInjectMerged = Buffers.Register("inject-merged",
		"an event replaces the initial event of its object if that was not sent yet, and is sent otherwise",
		Buffering{Between: func(env *sim.Env, w *Watcher) *wire.WatchEvent { return inject(env, w, true) }})
	BufferReferences = Buffers.Register("references",
		"the channel grows, and holds keys: the object is the one that the cache has when the event is sent (fifth option, to the letter)",
		Buffering{MakeRoom: double, Put: keepReference, Take: dereference})
	BufferNewestOnly = Buffers.Register("newest-only",
		"the channel grows, and an event takes the place of the one of the same object that waits before it",
		Buffering{MakeRoom: double, Put: dropObsolete})
)

// Capacity is how many events the watcher's channel holds.
func (w *Watcher) Capacity() int { return int(w.capacity) }

// SetCapacity changes it.
func (w *Watcher) SetCapacity(n int) { w.capacity = int32(n) }

// advanceInitial moves a watcher on that sends its initial events to the
// resourceVersion of an event from its channel. It returns false if the initial
// events have that one already. The resourceVersion of the bookmark that ends
// them covers what was sent before it.
func (w *Watcher) advanceInitial(env *sim.Env, resourceVersion int64) bool {
	if resourceVersion <= w.initial.Look(env).floor {
		env.Cover(inputBelowFloor)
		return false
	}
	w.initial.ChangeItem(env, resourceVersion).floor = resourceVersion
	if w.initialEnd.Look(env).intervalEnd != 0 {
		w.initialEnd.Change(env).intervalEnd = max(w.intervalEnd, resourceVersion)
	}
	return true
}

// closeEnough does not begin until fewer revisions are missing than the channel
// holds, and tears down the connection if that takes longer than
// Amounts.CloseEnoughTimeout. A watcher that is drained ends with the bookmark. With
// an end behind the interval it has nothing to do: the watch begins when no revision
// is missing, and no bookmark comes through the channel.
func closeEnough(w *Watcher) Beginning {
	return Beginning{
		At:     w.required - int64(w.Capacity()) + 1,
		Within: w.dispatcher.cfg.CloseEnoughTimeout, HardClose: true,
	}
}

// double doubles the channel as often as it must.
func double(env *sim.Env, w *Watcher, _ *store.Event) bool {
	env.Cover(bufferGrown)
	w.SetCapacity(2 * max(w.Capacity(), 1))
	return true
}

// doubleToCap doubles the channel up to Amounts.InitialEventsBytes of keys and values.
func doubleToCap(env *sim.Env, w *Watcher, e *store.Event) bool {
	bytes := e.Bytes()
	input := w.input.All()
	for i := range input {
		bytes += input[i].Bytes()
	}
	if bytes > w.dispatcher.cfg.InitialEventsBytes {
		env.Cover(bufferCapped)
		return false
	}
	return double(env, w, e)
}

var (
	bufferGrown  = sim.NewCoveragePoint("cache: channel of a watcher that sends initial events grows")
	bufferCapped = sim.NewCoveragePoint("cache: channel of a watcher that sends initial events has reached its cap")
)

// inject sends events between the initial ones. With merge an event takes the
// place of the initial event of its object, if that was not sent yet.
func inject(env *sim.Env, w *Watcher, merge bool) *wire.WatchEvent {
	for w.inputLen(env) > 0 && !w.input.All()[0].Bookmark {
		e := w.takeInput(env)
		if !w.advanceInitial(env, e.ResourceVersion) {
			continue
		}
		if merge && w.concerns(e.ForWatchers) && w.interval.Merge(e.ForWatchers) {
			env.Cover(eventMerged)
		} else if sent := w.convert(e.ForWatchers); sent != nil {
			env.Cover(eventInjected)
			injected.Say(env, sent.ResourceVersion, sent, w.from, sent.Item.Key)
			return sent
		}
	}
	return nil
}

var (
	eventInjected = sim.NewCoveragePoint("cache: event sent between initial events")
	eventMerged   = sim.NewCoveragePoint("cache: event takes the place of an initial event")
)

// keepReference keeps the key of an object in place of the object. What is sent is newer
// than the event if the object has changed again, so that resourceVersions go back
// with the next event, and the object comes once more when its own event is due. A
// deletion is kept whole: its object is no longer in the store.
func keepReference(env *sim.Env, w *Watcher, e store.Event) store.Event {
	if of := e.ForWatchers; !e.Bookmark && of != nil && of.Type != wire.Deleted {
		env.Cover(referenceKept)
		e.ForWatchers = &wire.WatchEvent{Type: of.Type, ResourceVersion: of.ResourceVersion, Item: &wire.KeyValue{Key: of.Item.Key}}
	}
	return e
}

// dereference finds the object of a key.
func dereference(env *sim.Env, w *Watcher, e *wire.WatchEvent) *wire.WatchEvent {
	if e == nil || e.Item.ModRevision != 0 {
		return e
	}
	now := w.dispatcher.cfg.Store.Get(env, e.Item)
	if now == nil {
		env.Cover(referenceGone)
		return nil
	}
	if now.ModRevision != e.ResourceVersion {
		env.Cover(referenceNewer)
		dereferenced.Say(env, now.ModRevision, e.Item.Key, e.ResourceVersion, w.from)
	}
	return &wire.WatchEvent{Type: e.Type, ResourceVersion: now.ModRevision, Item: now}
}

// dropObsolete leaves out what a client that is still being sent its initial events need
// not see: the states of an object before the newest one. It does so until the end of
// the initial events is in the channel. What comes behind that are changes which the
// client is promised one by one.
func dropObsolete(env *sim.Env, w *Watcher, e store.Event) store.Event {
	if e.Bookmark || e.ForWatchers == nil {
		return e
	}
	end, turn := w.initialEnd.Look(env), w.turn.Look(env)
	// Otherwise the bookmark that ends the initial events is not in the channel, and will come to it.
	if end.endBookmark != endBookmarkWaiting || end.intervalEnd != 0 || turn.inHand != nil && turn.inHand.InitialEventsEnd {
		return e
	}
	input := w.input.All()
	for i := range input {
		before := input[i].ForWatchers
		if before == nil || input[i].Bookmark || before.Item.Key != e.ForWatchers.Item.Key {
			continue
		}
		if input[i].ResourceVersion <= w.initial.Look(env).floor {
			continue
		}
		env.Cover(eventObsolete)
		w.inputChannel.Change(env)
		input[i].ForWatchers = nil
		e.ForWatchers = both(before, e.ForWatchers)
		break
	}
	return e
}

// both is what two changes of an object come to, nil if that is nothing.
func both(first, second *wire.WatchEvent) *wire.WatchEvent {
	sum := *second
	sum.Prev = first.Prev
	switch before, after := first.Type != wire.Added, second.Type != wire.Deleted; {
	case !before && !after:
		return nil
	case !before:
		sum.Type = wire.Added
	case after:
		sum.Type = wire.Modified
	default:
		// The client knows the object as it was before both.
		if first.Prev != nil {
			sum.Item = first.Prev
		}
	}
	return &sum
}

var (
	referenceKept  = sim.NewCoveragePoint("cache: key kept in place of an object in a watcher's channel")
	referenceNewer = sim.NewCoveragePoint("cache: object of a kept key is newer than its event")
	referenceGone  = sim.NewCoveragePoint("cache: object of a kept key is gone")
	eventObsolete  = sim.NewCoveragePoint("cache: event in a watcher's channel made obsolete by the next one of its object")
)
