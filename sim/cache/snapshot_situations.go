package cache

import "github.com/watchbed/watchbed/sim"

// Snapshots.
var (
	snapshotTaken   = sim.NewSituation("cache: snapshot taken")
	snapshotEvicted = sim.NewSituation("cache: snapshot evicted with its event")
)
