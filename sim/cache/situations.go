package cache

import "github.com/watchbed/watchbed/sim"

// Ingestion.
var (
	unreadyWhileWaiting = sim.NewSituation("cache: not ready while a read waits")
	ingestionBlocked    = sim.NewSituation("cache: full channel blocks ingestion")
)

// Progress notifications.
var (
	progressNotified = sim.NewSituation("cache: progress notification taken in")
	progressOnce     = sim.NewSituation("cache: progress requested once for a read")
	progressEchoed   = sim.NewSituation("cache: progress request echoed")
)

// Reads.
var (
	listInvalid          = sim.NewSituation("cache: invalid list refused")
	listDelegated        = sim.NewSituation("cache: list delegated to etcd")
	listDelegatedUnready = sim.NewSituation("cache: list delegated to etcd while not ready")
	listRefusedUnready   = sim.NewSituation("cache: list refused while not ready")
	listTruncated        = sim.NewSituation("cache: list with a limit answered in part")
	listFromSnapshot     = sim.NewSituation("cache: list answered from a snapshot")
	snapshotGone         = sim.NewSituation("cache: snapshot gone while a list waited")
	listDoesNotFit       = sim.NewSituation("cache: list that does not fit one page sent to etcd")
	keptServed           = sim.NewSituation("cache: page answered from what was kept")
	keptExpired          = sim.NewSituation("cache: kept pages dropped after their time")
	keptOverflowed       = sim.NewSituation("cache: kept pages dropped for newer ones")
	futureConfirmed      = sim.NewSituation("cache: etcd asked whether a future revision exists")
	futureUnknown        = sim.NewSituation("cache: future revision that etcd does not have")
	revisionShared       = sim.NewSituation("cache: revision read for several reads")
	limitIgnored         = sim.NewSituation("cache: list with a limit answered whole")
	revisionOfCount      = sim.NewSituation("cache: revision read by a count")
	revisionOfEmptyRange = sim.NewSituation("cache: revision read by a range without objects")
	getInvalid           = sim.NewSituation("cache: invalid get refused")
	getDelegated         = sim.NewSituation("cache: get delegated to etcd")
	getDelegatedUnready  = sim.NewSituation("cache: get delegated to etcd while not ready")
	readFreshAtOnce      = sim.NewSituation("cache: read served without waiting")
	readWaits            = sim.NewSituation("cache: read waits")
	readFreshAfterWait   = sim.NewSituation("cache: read served after waiting")
	readFreshAtTheLast   = sim.NewSituation("cache: read served although its time was up")
	readWokenEarly       = sim.NewSituation("cache: read woken and still too early")
	readTimedOut         = sim.NewSituation("cache: read that is not consistent timed out")
	consistentRejected   = sim.NewSituation("cache: consistent list rejected after the timeout")
	consistentThrottled  = sim.NewSituation("cache: consistent list throttled after the timeout")
	consistentFallback   = sim.NewSituation("cache: consistent list falls back to etcd after the timeout")
	consistentUnnotified = sim.NewSituation("cache: consistent list sent to etcd for want of progress notifications")
	consistentTooSlow    = sim.NewSituation("cache: consistent list sent to etcd because the cache was slow")
	servedUnready        = sim.NewSituation("cache: read served while not ready")
	etcdRefused          = sim.NewSituation("cache: etcd refused a read")
	etcdUnavailable      = sim.NewSituation("cache: connection to etcd lost during a read")
	etcdTooOld           = sim.NewSituation("cache: etcd older than the resourceVersion asked for")
)

// Progress requester.
var (
	progressRequested      = sim.NewSituation("cache: progress requested")
	requesterAfterIdleness = sim.NewSituation("cache: progress requested at once after idleness")
	requesterTickUnwanted  = sim.NewSituation("cache: progress timer found nobody waiting")
	requesterWokenInVain   = sim.NewSituation("cache: progress requester woken for a read that is gone")
)
