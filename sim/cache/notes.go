package cache

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
)

var (
	takesIn       = sim.NewNote3[int64, *wire.WatchEvent, string]("cache.takesIn", "%[1]Rtakes in %[2]s%[3]K", sim.IsMeasured)
	takesProgress = sim.NewNote1[int64]("cache.takesProgress", "takes progress %[1]r: etcd says that all events up to revision %[1]r have been sent")
	skipsProgress = sim.NewNote1[int64]("cache.skipsProgress", "is at resourceVersion %r already, and returns early from progress up to it")
	dropsProgress = sim.NewNote1[int64]("cache.dropsProgress", "drops progress %r: the version of the member behind the stream is not known, or too old")
	// putOff: a progress notification has come in, and the version stays.
	putOff      = sim.NewNote1[int64]("cache.putOff", "puts progress %r into the dispatcher's channel, and its resourceVersion stays")
	storeOnly   = sim.NewNote1[int64]("cache.storeOnly", "has change %r in its store, and its resourceVersion does not say so yet")
	versionOnly = sim.NewNote1[int64]("cache.versionOnly", "is at resourceVersion %r, and its store does not have that change yet")
)

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
