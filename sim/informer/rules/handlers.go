package rules

import "github.com/watchbed/watchbed/sim/option"

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
