package cache

import "github.com/watchbed/watchbed/sim"

// Reflector.
var (
	relisted            = sim.NewSituation("cache: relist")
	listPaged           = sim.NewSituation("cache: list of several pages")
	listExpired         = sim.NewSituation("cache: compaction between the pages of a list")
	listFailed          = sim.NewSituation("cache: list failed")
	watchExpired        = sim.NewSituation("cache: watch ended by compaction")
	watchRetried        = sim.NewSituation("cache: watch started again after an internal error")
	watchResumed        = sim.NewSituation("cache: watch started again after it closed")
	watchVeryShort      = sim.NewSituation("cache: watch closed at once")
	unreadyWhileWaiting = sim.NewSituation("cache: not ready while a read waits")
	ingestionBlocked    = sim.NewSituation("cache: full channel blocks ingestion")
)

// Store and history.
var (
	progressNotified       = sim.NewSituation("cache: progress notification taken in")
	resourceVersionLowered = sim.NewSituation("cache: resourceVersion goes back in time")
	deletedUnknown         = sim.NewSituation("cache: deletion of an object that it does not have")
	historyEvicted         = sim.NewSituation("cache: event evicted from the history")
	historyGrown           = sim.NewSituation("cache: history doubled")
	historyShrunk          = sim.NewSituation("cache: history halved")
)

// Reads.
var (
	listInvalid          = sim.NewSituation("cache: invalid list refused")
	listDelegated        = sim.NewSituation("cache: list delegated to etcd")
	listDelegatedUnready = sim.NewSituation("cache: list delegated to etcd while not ready")
	listRefusedUnready   = sim.NewSituation("cache: list refused while not ready")
	listTruncated        = sim.NewSituation("cache: list with a limit answered in part")
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

// Watchers.
var (
	watchRefusedUnready    = sim.NewSituation("cache: watch refused while not ready")
	watchTooOld            = sim.NewSituation("cache: watch from before the history")
	watchAcrossGenerations = sim.NewSituation("cache: watch registered after the cache started over")
	watchFromStore         = sim.NewSituation("cache: watch begins with the present state")
	watchFromHistory       = sim.NewSituation("cache: watch begins in the history")
	watchFromFuture        = sim.NewSituation("cache: watch begins in the future")
	watchLeft              = sim.NewSituation("cache: watch ended by its client")
	watcherOutlived        = sim.NewSituation("cache: watch ended by a relist")
	initialEventSent       = sim.NewSituation("cache: event sent from a watch's interval")
	intervalInvalidated    = sim.NewSituation("cache: interval evicted before it was sent")
	inputBelowFloor        = sim.NewSituation("cache: event dispatched that the interval had")
	watcherBlocked         = sim.NewSituation("cache: watcher blocked by its client")
	watcherTerminated      = sim.NewSituation("cache: blocked watcher terminated")
	dispatchBlocked        = sim.NewSituation("cache: dispatcher blocked by a watcher")
	dispatchUnblocked      = sim.NewSituation("cache: blocked watcher caught up in time")
	stopDeferred           = sim.NewSituation("cache: watcher stopped during dispatch")
	bookmarkOffered        = sim.NewSituation("cache: bookmark sent to a watcher")
	bookmarkDropped        = sim.NewSituation("cache: bookmark dropped by a full watcher")
)
