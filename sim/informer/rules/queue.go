package rules

import "github.com/watchbed/watchbed/sim/option"

// Replace is a value of Replacements.
type Replace uint8

// Replaces is how a list gets into the queue of a shared informer.
type Replaces struct {
	// Atomic: a list is one delta, and so is a resync. Otherwise each object that is gone, and
	// each one that is listed, is a delta of its own.
	Atomic bool
	// Queued: an object that is not in the store yet, and whose delta is in the queue, counts
	// among those that are gone.
	Queued bool
}

// Replacements are these ways (RealFIFO.Replace, the gate AtomicFIFO).
var Replacements = option.NewSeam[Replace, Replaces]("informer-replace", "how a list gets into the queue of a shared informer").
	Shipped("atomic", "as one delta, as does a resync: as shipped (the gate AtomicFIFO)", Replaces{Atomic: true, Queued: true})

// Batch is a value of Batches.
type Batch uint8

// Joins says what becomes of a delta when a batch is made, given whether the batch has one of
// the same object already.
type Joins func(repeated bool) Joining

// Joining is what a rule says of a delta.
type Joining uint8

const (
	// IntoBatch takes it in.
	IntoBatch Joining = iota
	// NextBatch leaves it, and closes the batch.
	NextBatch
	// IntoNone takes it off the queue, and closes the batch.
	IntoNone
)

// Batches are these rules (RealFIFO.PopBatch). What a batch tells of is found out before its
// first delta is in the store, so that its objects must differ.
var Batches = option.NewSeam[Batch, Joins]("informer-batch-members", "which deltas of the queue are processed together").
	Shipped("different", "those of different objects: as shipped", func(repeated bool) Joining {
		if repeated {
			return NextBatch
		}
		return IntoBatch
	})

// Resync is a value of Resyncs.
type Resync uint8

// Takes reports whether a resync takes the objects out of the store when it is queued, and not
// when it is processed.
type Takes bool

// Resyncs are the times at which it does (RealFIFO.Resync).
var Resyncs = option.NewSeam[Resync, Takes]("informer-resync-takes", "when a resync takes the objects out of the store").
	Shipped("processed", "when it is processed: as shipped", false)

// Count is a value of Counts.
type Count uint8

// Counted reports whether a delta of the first list counts as processed before it is.
type Counted bool

// Counts are the times at which it counts (initialPopulationCount).
var Counts = option.NewSeam[Count, Counted]("informer-counts", "when a delta of the first list counts as processed").
	Shipped("after", "after it is: as shipped", false)
