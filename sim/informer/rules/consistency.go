package rules

import "github.com/watchbed/watchbed/sim/option"

// Consistency is a value of Consistencies.
type Consistency uint8

// AtOnce reports whether a controller acts although its store has not come to its own last write.
type AtOnce bool

// Consistencies say whether it does (KEP-5647, ConsistencyStore.EnsureReady).
var Consistencies = option.NewSeam[Consistency, AtOnce]("controller-consistency", "when a controller acts on what is in the store of its informer").
	Shipped("own-writes", "when its own last write about the object is in the store: as shipped (KEP-5647)", false)

// WriteRecord is a value of WriteRecords.
type WriteRecord uint8

// Records is the resourceVersion that a controller records of its write, given that of what it had
// read and that of the answer.
type Records func(read, answered int64) int64

// WriteRecords are these versions (ConsistencyStore.WroteAt).
var WriteRecords = option.NewSeam[WriteRecord, Records]("controller-records", "the resourceVersion that a controller records of its own write").
	Shipped("answered", "that of the object in the answer: as shipped", func(_, answered int64) int64 { return answered })
