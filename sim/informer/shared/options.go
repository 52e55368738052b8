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

// Deviations are how a shared informer differs from client-go v0.37.2.
type Deviations struct {
	Replace           Replace
	Members           Members
	ResyncTakesQueued bool
	CountsTaken       bool
	DistributesLocked bool
	AddsUnlocked      bool
	WatchesSyncAlways bool
	RelistsAsResync   bool
	DropsTombstones   bool
	ResyncsAtChecks   bool
}

// Replace is how a list gets into the queue (RealFIFO.Replace).
type Replace uint8

const (
	// ReplaceAtomic makes a list one delta, and a resync another (the gate AtomicFIFO).
	ReplaceAtomic Replace = iota
	// ReplaceOneByOne makes a delta of each object that is gone, and of each one that is listed.
	ReplaceOneByOne
	// ReplaceOneByOneStored does not delete an object that is in the queue only.
	ReplaceOneByOneStored
)

// Members is which deltas are processed together (RealFIFO.PopBatch). The notifications of a batch are
// computed before its first delta is in the store, so that its objects must differ.
type Members uint8

const (
	// BatchDifferent closes a batch before a second delta of an object.
	BatchDifferent Members = iota
	// BatchOfObject is DeltaFIFO.Pop: all deltas of the object that has waited longest, each of which is told before
	// the next one is in the store. The objects of a list are deltas of their own there.
	BatchOfObject
	// BatchAny takes it in.
	BatchAny
	// BatchWithoutLast takes it off the queue, and drops it.
	BatchWithoutLast
)

// Choices has an option for each deviation.
var Choices = option.NewGroup("informers",
	option.Choice("informer-replace", func(d *Deviations) *Replace { return &d.Replace }, "how a list gets into the queue of a shared informer",
		option.Val("atomic", "as one delta, as does a resync: as shipped (the gate AtomicFIFO)"),
		option.Bug("one-by-one", "object by object (AtomicFIFO off, kubernetes#135462)"),
		option.Bug("one-by-one-stored", "object by object, and what is queued and not listed is not deleted (kubernetes#115620)")),
	option.Choice("informer-batch-members", func(d *Deviations) *Members { return &d.Members }, "which deltas of the queue are processed together",
		option.Val("different", "those of different objects: as shipped"),
		option.Val("of-object", "all of one object, in turn, before those of others, and a list object by object (DeltaFIFO; InOrderInformers off)"),
		option.Bug("any", "any, also several of an object: no release"),
		option.Bug("without-last", "those of different objects, and the one that closes the batch is lost: no release")).
		Undrawn("the queue goes with the release of client-go; the older one violates what the newer one is for"),
	option.Either("informer-resync-takes", func(d *Deviations) *bool { return &d.ResyncTakesQueued }, "when a resync takes the objects out of the store",
		option.Val("processed", "when it is processed: as shipped"),
		option.Bug("queued", "when it is queued, whatever is in the queue already: no release")),
	option.Either("informer-counts", func(d *Deviations) *bool { return &d.CountsTaken }, "when a delta of the first list counts as processed",
		option.Val("after", "after it is: as shipped"),
		option.Bug("before", "when it is taken off the queue: no release")),
	option.Either("informer-distribute", func(d *Deviations) *bool { return &d.DistributesLocked }, "how a shared informer waits for the goroutines of its listeners",
		option.Val("releasing", "without the lock of the listeners: as shipped"),
		option.Bug("holding", "with the lock of the listeners (kubernetes#136509)")),
	option.Either("informer-late-handler", func(d *Deviations) *bool { return &d.AddsUnlocked }, "when a handler is added to a shared informer that runs",
		option.Val("locked", "not while deltas are processed (blockDeltas): as shipped"),
		option.Bug("unlocked", "at any time, also while deltas are processed: no release")),
	option.Either("informer-sync-watch", func(d *Deviations) *bool { return &d.WatchesSyncAlways }, "when the goroutine of a late handler is started that waits for the informer to have synced",
		option.Val("listener", "with those of its listener: as shipped"),
		option.Bug("always", "at once, although those of its listener are not (kubernetes#137296)")),
	option.Either("informer-relist", func(d *Deviations) *bool { return &d.RelistsAsResync }, "to which handlers of a shared informer the changes of a list are told",
		option.Val("all", "to all: as shipped"),
		option.Bug("resync", "what it adds and changes goes to handlers that take part in a resync (kubernetes#86015)")),
	option.Either("informer-tombstones", func(d *Deviations) *bool { return &d.DropsTombstones }, "what handlers make of the deletion of an object that a list lacks",
		option.Val("heeded", "that of any other: as a handler should"),
		option.Bug("dropped", "nothing (volcano-sh/volcano#2784)")),
	option.Either("informer-handler-period", func(d *Deviations) *bool { return &d.ResyncsAtChecks }, "the period of a handler's resyncs",
		option.Val("own", "the one that it asks for, if the informer checks as often: as shipped"),
		option.Bug("checks", "that of the informer's looks (kubernetes-client/java#2219)")),
)
