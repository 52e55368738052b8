package cache

import "github.com/watchbed/watchbed/sim"

// Ingestion.
var (
	unreadyWhileWaiting = sim.NewCoveragePoint("cache: not ready while a read waits")
	ingestionBlocked    = sim.NewCoveragePoint("cache: full channel blocks ingestion")
)

// Progress notifications.
var (
	// ProgressNotified counts the notifications that caches take in, ProgressSkipped those of which they only hear.
	ProgressNotified = sim.NewCoveragePoint("cache: progress notification taken in")
	ProgressSkipped  = sim.NewCoveragePoint("cache: progress up to the version that it has already, returned from early")
	progressDropped  = sim.NewCoveragePoint("cache: progress notification of an unknown member dropped")
)
