package variant

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/cache/store"
)

// BufferDynamic is KEP-3157's second option, BufferCapped the fourth.
var (
	BufferDynamic = dispatch.Buffers.Register("dynamic",
		"the channel doubles until the end bookmark was sent (second option)", dynamic{})
	BufferCapped = dispatch.Buffers.Register("cap",
		"the channel grows to 2 MB of keys and values (fourth option)", capped{})
)

// dynamic doubles the channel as often as it must.
type dynamic struct{ dispatch.AsShipped }

// MakeRoom implements dispatch.Buffering.
func (dynamic) MakeRoom(env *sim.Env, w *dispatch.Watcher, _ *store.Event) bool {
	env.Cover(bufferGrown)
	w.SetCapacity(2 * w.Capacity())
	return true
}

// capped doubles the channel up to Amounts.InitialEventsBytes of keys and values.
type capped struct{ dynamic }

// MakeRoom implements dispatch.Buffering.
func (c capped) MakeRoom(env *sim.Env, w *dispatch.Watcher, e *store.Event) bool {
	bytes := e.Bytes()
	input := w.Input()
	for i := range input {
		bytes += input[i].Bytes()
	}
	if bytes > w.Amounts().InitialEventsBytes {
		env.Cover(bufferCapped)
		return false
	}
	return c.dynamic.MakeRoom(env, w, e)
}

var (
	bufferGrown  = sim.NewSituation("cache: channel of a watcher that sends initial events grows")
	bufferCapped = sim.NewSituation("cache: channel of a watcher that sends initial events has reached its cap")
)
