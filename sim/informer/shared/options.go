package shared

import (
	"fmt"
	"time"

	"github.com/watchbed/watchbed/sim/option"
)

// Options are everything about a shared informer that can be set by name. The zero value is
// that there is none: the Reflector fills the store itself.
type Options struct {
	Queue Queue
	// Handlers are those of the start, Late those that are added while the informer runs; one
	// handler if both are 0. Removed is how many are removed again, the last one first.
	Handlers, Late, Removed int
	// Stops is how often the process stops its informer, waits until Run has returned, and
	// ends; the next process follows.
	Stops int
	// After is when the first handler is added late, timed, and the time to what follows.
	After time.Duration
	// Batch is how many deltas a batch has at most: 1000 if it is 0, as in client-go. With twice as many in
	// the queue it is locked while a batch is processed.
	Batch int
	// Locked: the queue is locked while a batch is processed, whatever there is in it (the gate
	// UnlockWhileProcessingFIFO is off).
	Locked bool
	// Resync is the period of the first handler, twice as much that of the second one, and so
	// on; 0 is never. Untimed, the period is over at any time, Resyncs times.
	Resync  time.Duration
	Resyncs int
}

// Queue is what there is between Reflector and store.
type Queue uint8

const (
	// NoQueue: the Reflector fills the store.
	NoQueue Queue = iota
	// RealFIFO is client-go's queue, with handlers behind it.
	RealFIFO
)

// defaultBatch is client-go's defaultBatchSize.
const defaultBatch = 1000

// Group is all options of shared informers.
var Group = option.NewGroup("informers",
	option.Choice("informer-queue", func(o *Options) *Queue { return &o.Queue }, "what an informer has between its reflector and its store",
		option.Val("none", "nothing: the reflector fills the store, and there are no handlers"),
		option.Val("real-fifo", "client-go's queue, and handlers that are notified (a shared informer of v0.37.2)")),
	option.Count("informer-handlers", func(o *Options) *int { return &o.Handlers }, "", "handlers of a shared informer from the start; one if there are no late ones either"),
	option.Count("informer-late-handlers", func(o *Options) *int { return &o.Late }, "", "handlers that are added while it runs"),
	option.Count("informer-removed-handlers", func(o *Options) *int { return &o.Removed }, "", "handlers that are removed again, the last one first"),
	option.Count("informer-stops", func(o *Options) *int { return &o.Stops }, "", "times that a process stops its informer, waits for it, and begins anew"),
	option.Period("informer-after", func(o *Options) *time.Duration { return &o.After }, "1s", "time until a handler is added late, or what follows is done, timed"),
	option.Count("informer-batch", func(o *Options) *int { return &o.Batch }, "1000", "deltas that an informer processes together"),
	option.Switch("informer-locked", func(o *Options) *bool { return &o.Locked }, "the queue of an informer is locked while it processes (UnlockWhileProcessingFIFO off)"),
	option.Duration("informer-resync", func(o *Options) *time.Duration { return &o.Resync }, "never", "resync period of the first handler; that of the second is twice as long"),
	option.Count("informer-resyncs", func(o *Options) *int { return &o.Resyncs }, "", "times that the resync period of a process is over, untimed"),
)

// maxHandlers bounds the handlers of an informer: each notification goes to all of them, and a run with a thousand
// takes seconds.
const maxHandlers = 100

// Fit reports options that are fine by themselves and make no informer together.
func (o *Options) Fit() error {
	switch {
	case o.handlers()+o.Late > maxHandlers:
		return fmt.Errorf("an informer has at most %d handlers; set fewer with informer-handlers and informer-late-handlers", maxHandlers)
	case o.Removed > o.handlers()+o.Late:
		return fmt.Errorf("informer-removed-handlers=%d: there are %d handlers that could be removed; set more with informer-late-handlers", o.Removed, o.handlers()+o.Late)
	}
	return nil
}

// handlers is how many there are at the start.
func (o *Options) handlers() int {
	if o.Handlers == 0 && o.Late == 0 {
		return 1
	}
	return o.Handlers
}

func (o *Options) batch() int {
	if o.Batch == 0 {
		return defaultBatch
	}
	return o.Batch
}

func (o *Options) after() time.Duration {
	if o.After == 0 {
		return time.Second
	}
	return o.After
}
