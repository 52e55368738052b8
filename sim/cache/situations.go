package cache

import "github.com/watchbed/watchbed/sim"

// Ingestion.
var (
	unreadyWhileWaiting = sim.NewSituation("cache: not ready while a read waits")
	ingestionBlocked    = sim.NewSituation("cache: full channel blocks ingestion")
)

// Progress notifications.
var (
	// ProgressNotified counts the notifications that caches take in, ProgressSkipped those of which they only hear.
	ProgressNotified = sim.NewSituation("cache: progress notification taken in")
	ProgressSkipped  = sim.NewSituation("cache: progress up to the version that it has already, returned from early")
	progressDropped  = sim.NewSituation("cache: progress notification of an unknown member dropped")
)
