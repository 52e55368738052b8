package shared

import "github.com/watchbed/watchbed/sim/option"

// Deviations are how a shared informer differs from client-go v0.37.2.
type Deviations struct {
	Replace Replace
	Members Members
	// ResyncTakesQueued: RealFIFO.Resync takes the objects out of the store.
	ResyncTakesQueued bool
	// CountsTaken: initialPopulationCount goes down when a delta is taken off the queue.
	CountsTaken bool
	// DistributesLocked: distribute waits for the goroutines of the listeners with their lock.
	DistributesLocked bool
	// AddsUnlocked: AddEventHandler does without blockDeltas.
	AddsUnlocked bool
	// WatchesSyncAlways: AddEventHandler starts watchSynced of a listener whose goroutines are not started.
	WatchesSyncAlways bool
	// RelistsAsResync: the changes of a list go to the handlers that take part in a resync.
	RelistsAsResync bool
	// DropsTombstones: a handler ignores DeletedFinalStateUnknown.
	DropsTombstones bool
	// ResyncsAtChecks: determineResyncPeriod returns the period of the checks.
	ResyncsAtChecks bool
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
		option.Bug("without-last", "those of different objects, and the one that closes the batch is lost: no release")),
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
