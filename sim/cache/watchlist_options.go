package cache

import "github.com/watchbed/watchbed/sim/dimension"

// WatchListOptions are the dimensions of KEP-3157.
type WatchListOptions struct{}

var watchListDimensions = dimension.Table[Options]{}
