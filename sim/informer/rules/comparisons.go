package rules

import (
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
)

// Compared is a value of Comparisons.
type Compared uint8

// Compares is what the consistency detector takes for an object of its list. One that is
// to be changed belongs to the cache: a function changes a copy.
type Compares func(listed *wire.KeyValue) *wire.KeyValue

// Comparisons are what it compares with the object of the stream.
var Comparisons = option.NewSeam[Compared, Compares]("informer-comparison",
	"what the consistency detector of an informer compares with the objects of its stream").
	Shipped("listed", "the objects of its list: as shipped, without a transformer", func(listed *wire.KeyValue) *wire.KeyValue { return listed })
