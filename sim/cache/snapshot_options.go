package cache

import "github.com/watchbed/watchbed/sim/dimension"

// SnapshotOptions are the dimensions of KEP-4988.
type SnapshotOptions struct{}

var snapshotDimensions = dimension.Table[Options]{}
