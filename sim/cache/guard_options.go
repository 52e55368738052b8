package cache

import "github.com/watchbed/watchbed/sim/dimension"

// GuardOptions are the dimensions of what keeps a cache from trusting an etcd that
// it must not trust.
type GuardOptions struct{}

var guardDimensions = dimension.Table[Options]{}
