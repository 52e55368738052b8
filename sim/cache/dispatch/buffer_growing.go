package dispatch

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/store"
)

// dynamic doubles the channel as often as it must.
type dynamic struct{ AsShipped }

// MakeRoom implements Buffering.
func (dynamic) MakeRoom(env *sim.Env, w *Watcher, _ *store.Event) bool {
	env.Cover(bufferGrown)
	w.capacity *= 2
	return true
}

// capped doubles the channel up to Amounts.InitialEventsBytes of keys and values.
type capped struct{ dynamic }

// MakeRoom implements Buffering.
func (c capped) MakeRoom(env *sim.Env, w *Watcher, e *store.Event) bool {
	bytes := e.Bytes()
	waiting := w.input.All()
	for i := range waiting {
		bytes += waiting[i].Bytes()
	}
	if bytes > w.dispatcher.cfg.InitialEventsBytes {
		env.Cover(bufferCapped)
		return false
	}
	return c.dynamic.MakeRoom(env, w, e)
}
