package etcd3

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

// event is etcd3's event: a change, an object that was there before the watch,
// or with neither of them the progress up to rev.
type event struct {
	event *wire.Event
	// item is an object of the initial list (parseKV).
	item *wire.KeyValue
	rev  int64
	// isInitialEventsEndBookmark: rev ends the initial events.
	isInitialEventsEndBookmark bool
	// progressID is the request that the progress answers, 0 if that is not known.
	progressID int64
}

// isProgress reports whether the event has no object.
func (e *event) isProgress() bool { return e.event == nil && e.item == nil }

// object is what the event has to be decoded for: of a deletion that is the object before, or its key if etcd was not
// asked for that.
func (e *event) object() *wire.KeyValue {
	switch {
	case e.item != nil:
		return e.item
	case e.event.Type == wire.Delete && e.event.PrevKv != nil:
		return e.event.PrevKv
	}
	return e.event.Kv
}

func isCreate(e *wire.Event) bool {
	return e.Type == wire.Put && e.Kv.CreateRevision == e.Kv.ModRevision
}

// Digest implements state.Digester.
func (e *event) Digest(d sim.Digest) sim.Digest {
	d = d.Int(e.rev).Bool(e.isInitialEventsEndBookmark)
	if e.item != nil {
		d = e.item.Digest(d)
	}
	if ev := e.event; ev != nil {
		d = ev.Kv.Digest(d.Word(uint64(ev.Type)))
		if ev.PrevKv != nil {
			d = ev.PrevKv.Digest(d)
		}
	}
	return d
}
