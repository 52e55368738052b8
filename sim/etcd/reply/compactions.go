package reply

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Naming is a value of Compactions.
type Naming uint8

// Name says which compaction the response names that ends a watch, given the revision of
// the last one.
type Name func(env *sim.Env, last int64) int64

// Compactions are the ways to name it.
var Compactions = option.NewSeam[Naming, Name]("named-compaction", "the compaction that etcd names when it ends a watch because of one").
	Shipped("last", "the last one: all releases", func(_ *sim.Env, last int64) int64 { return last })
