package store

import (
	"math"

	"github.com/watchbed/watchbed/sim"
)

// The cells of the state. An item of the objects is a key, one of the history or
// of the snapshots a resourceVersion.
var (
	CellResourceVersion = sim.NewCell("cache: resourceVersion")
	CellObjects         = sim.NewCell("cache: store")
	CellHistory         = sim.NewCell("cache: history")
	CellSnapshots       = sim.NewCell("cache: snapshots")
)

// Item is the number of a key among the objects. Two keys may share one: a story
// may then show a step too many.
func Item(key string) int64 {
	return int64(sim.NewDigest.Text(key).Sum()>>1 | 1)
}

// Two more items of CellSnapshots: whether there are any, and the revision of the
// last compaction that the store has heard of.
const (
	itemSwitch int64 = math.MaxInt64 - iota
	itemCompacted
)
