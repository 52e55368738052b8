package rules

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Distribution is a value of Distributions.
type Distribution uint8

// Holds reports whether the lock of the listeners is held while their goroutines have not been
// started, and whatever is to be told them waits for that.
type Holds bool

// Distributions are the ways to wait for them (sharedProcessor.distribute).
var Distributions = option.NewSeam[Distribution, Holds]("informer-distribute",
	"how a shared informer waits for the goroutines of its listeners").
	Shipped("releasing", "without the lock of the listeners: as shipped", false)

// LateHandler is a value of LateHandlers.
type LateHandler uint8

// Unlocked reports whether a handler is added, and listed what there is, while deltas are
// processed.
type Unlocked bool

// LateHandlers are the ways to add one late (AddEventHandler).
var LateHandlers = option.NewSeam[LateHandler, Unlocked]("informer-late-handler",
	"when a handler is added to a shared informer that runs").
	Shipped("locked", "not while deltas are processed (blockDeltas): as shipped", false)

// SyncWatch is a value of SyncWatches.
type SyncWatch uint8

// Always reports whether the goroutine is started that waits for the informer to have synced,
// although those of its listener are not.
type Always bool

// SyncWatches say when it is, for a handler that is added late (processorListener.watchSynced).
var SyncWatches = option.NewSeam[SyncWatch, Always]("informer-sync-watch",
	"when the goroutine of a late handler is started that waits for the informer to have synced").
	Shipped("listener", "with those of its listener: as shipped", false)

// Relist is a value of Relists.
type Relist uint8

// AsResync reports whether what a list adds and changes is told as a resync is: only to handlers
// that take part in one.
type AsResync bool

// Relists are the ways to tell of a list (the delta type Replaced).
var Relists = option.NewSeam[Relist, AsResync]("informer-relist", "to which handlers of a shared informer the changes of a list are told").
	Shipped("all", "to all: as shipped", false)

// Tombstone is a value of Tombstones.
type Tombstone uint8

// Heeded reports whether a handler heeds the deletion of an object that a list lacks, whose last state
// is not known (DeletedFinalStateUnknown).
type Heeded bool

// Tombstones say what handlers do with such deletions.
var Tombstones = option.NewSeam[Tombstone, Heeded]("informer-tombstones", "what handlers make of the deletion of an object that a list lacks").
	Shipped("heeded", "that of any other: as a handler should", true)

// HandlerPeriod is a value of HandlerPeriods.
type HandlerPeriod uint8

// Period is that of the resyncs of a handler, given the one that it asks for and that of the checks.
type Period func(asked, checks sim.Duration) sim.Duration

// HandlerPeriods are the ways to settle it (determineResyncPeriod).
var HandlerPeriods = option.NewSeam[HandlerPeriod, Period]("informer-handler-period", "the period of a handler's resyncs").
	Shipped("own", "the one that it asks for, if the informer checks as often: as shipped", func(asked, checks sim.Duration) sim.Duration { return max(asked, checks) })
