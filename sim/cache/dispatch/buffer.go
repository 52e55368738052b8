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
// embeds AsShipped and says what it does differently.
type Buffering interface {
	// Begin says what a watch waits for, if the bookmark timer finds the end of its
	// initial events.
	Begin(w *Watcher) Beginning
	// MakeRoom reports whether an event fits a full channel after all.
	MakeRoom(env *sim.Env, w *Watcher, e *store.Event) bool
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
	"what becomes of events that fill a watcher's channel while it sends its initial events (KEP-3157, step 2b)")

// The values of the seam, in the KEP's order; the last but one is a variant of
// that before it.
var (
	BufferAsShipped = Buffers.Register("as-shipped",
		"the dispatcher waits within its budget and then ends the watcher; it drains it first if the end bookmark is in the channel", AsShipped{})
	BufferCloseEnough = Buffers.Register("close-enough",
		"the watch begins when fewer revisions are missing than the channel holds; after 10 s the client is sent to another API server (first option for beta)", closeEnough{})
	BufferDynamic = Buffers.Register("dynamic",
		"the channel doubles until the end bookmark was sent (second option)", dynamic{})
	BufferInject = Buffers.Register("inject",
		"events are sent between the initial ones, to the letter of the third option: an initial event may follow a newer one of the same object", inject{})
	BufferInjectMerged = Buffers.Register("inject-merged",
		"an event replaces the initial event of its object if that was not sent yet, and is sent otherwise", inject{merge: true})
	BufferCapped = Buffers.Register("cap",
		"the channel grows to 2 MB of keys and values (fourth option)", capped{})
)

// AsShipped does nothing for a watcher that sends its initial events: it is
// terminated like any other that does not keep up, and drained before if the
// bookmark that ends its initial events is in its channel.
type AsShipped struct{}

// Begin implements Buffering.
func (AsShipped) Begin(*Watcher) Beginning { return Beginning{} }

// MakeRoom implements Buffering.
func (AsShipped) MakeRoom(*sim.Env, *Watcher, *store.Event) bool { return false }

// Injects implements Buffering.
func (AsShipped) Injects() bool { return false }

// Between implements Buffering.
func (AsShipped) Between(*sim.Env, *Watcher) *wire.WatchEvent { return nil }

// EndsDrained implements Buffering.
func (AsShipped) EndsDrained() bool { return false }
