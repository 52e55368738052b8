package variant

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/store"
	"github.com/watchbed/watchbed/sim/wire"
)

// BufferReferences is KEP-3157's fifth option, to the letter; BufferNewestOnly gets rid
// of the same objects and keeps what a client is promised.
var (
	BufferReferences = dispatch.Buffers.Register("references",
		"the channel grows, and holds keys: the object is the one that the cache has when the event is sent (fifth option, to the letter)", references{})
	BufferNewestOnly = dispatch.Buffers.Register("newest-only",
		"the channel grows, and an event takes the place of the one of the same object that waits before it", newestOnly{})
)

// references keeps the key of an object in place of the object. What is sent is newer
// than the event if the object has changed again, so that resourceVersions go back
// with the next event, and the object comes once more when its own event is due. A
// deletion is kept whole: its object is no longer in the store.
type references struct{ dynamic }

// Put implements dispatch.Buffering.
func (references) Put(env *sim.Env, w *dispatch.Watcher, e store.Event) store.Event {
	if of := e.ForWatchers; !e.Bookmark && of != nil && of.Type != wire.Deleted {
		env.Cover(referenceKept)
		e.ForWatchers = &wire.WatchEvent{Type: of.Type, ResourceVersion: of.ResourceVersion, Item: &wire.KeyValue{Key: of.Item.Key}}
	}
	return e
}

// Take implements dispatch.Buffering.
func (references) Take(env *sim.Env, w *dispatch.Watcher, e *wire.WatchEvent) *wire.WatchEvent {
	if e == nil || e.Item.ModRevision != 0 {
		return e
	}
	now := w.Stored(env, e.Item)
	if now == nil {
		env.Cover(referenceGone)
		return nil
	}
	if now.ModRevision != e.ResourceVersion {
		env.Cover(referenceNewer)
		if env.Noting() {
			env.Note(dereferenced{w.From(), e, now.ModRevision})
		}
	}
	return &wire.WatchEvent{Type: e.Type, ResourceVersion: now.ModRevision, Item: now}
}

// newestOnly leaves out what a client that is still being sent its initial events need
// not see: the states of an object before the newest one. It does so until the end of
// the initial events is in the channel. What comes behind that are changes which the
// client is promised one by one.
type newestOnly struct{ dynamic }

// Put implements dispatch.Buffering.
func (newestOnly) Put(env *sim.Env, w *dispatch.Watcher, e store.Event) store.Event {
	if e.Bookmark || e.ForWatchers == nil || !w.AwaitsEndByTimer(env) {
		return e
	}
	input := w.Input()
	for i := range input {
		before := input[i].ForWatchers
		if before == nil || input[i].Bookmark || before.Item.Key != e.ForWatchers.Item.Key || w.Known(env, input[i].ResourceVersion) {
			continue
		}
		env.Cover(eventObsolete)
		w.Forget(env, i)
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

// dereferenced: the object that is sent is newer than its event.
type dereferenced struct {
	to    sim.NodeID
	event *wire.WatchEvent
	found int64
}

// Text implements sim.Note.
func (n dereferenced) Text(w *sim.World) string {
	return "finds resourceVersion " + number(n.found) + " of " + n.event.Item.Key + " in its store for the event of " +
		number(n.event.ResourceVersion) + " that " + w.NodeName(n.to) + " is due"
}

// About implements sim.Subject.
func (n dereferenced) About() sim.About {
	return sim.About{Revision: n.found, Key: n.event.Item.Key}
}

var (
	referenceKept  = sim.NewSituation("cache: key kept in place of an object in a watcher's channel")
	referenceNewer = sim.NewSituation("cache: object of a kept key is newer than its event")
	referenceGone  = sim.NewSituation("cache: object of a kept key is gone")
	eventObsolete  = sim.NewSituation("cache: event in a watcher's channel made obsolete by the next one of its object")
)
