package etcdcache

import "github.com/watchbed/watchbed/sim"

var (
	restored         = sim.NewNote("etcdcache.restored", "restores its store at revision %r, with %d objects")
	fails            = sim.NewNote1[string]("etcdcache.fails", "ends its watch and lists again after a pause: %s", sim.IsSetback)
	watchesAgain     = sim.NewNote1[int64]("etcdcache.watchesAgain", "watches again from revision %r, without a list", sim.IsSetback)
	notReady         = sim.NewNote0("etcdcache.notReady", "is not ready any more", sim.IsSetback)
	purges           = sim.NewNote0("etcdcache.purges", "ends all watchers and forgets its history")
	applied          = sim.NewNote("etcdcache.applied", "applies %s to its store, which is at revision %r")
	waits            = sim.NewNote("etcdcache.waits", "has the read wait for revision %r, its store is at %d")
	answers          = sim.NewNote("etcdcache.answers", "answers from its store at revision %r: %d objects")
	requestsProgress = sim.NewNote0("etcdcache.requestsProgress", "requests progress")
	// The way of an event through the library.
	broadcasts      = sim.NewNote1[int64]("etcdcache.broadcasts", "broadcasts the event of revision %r", sim.IsMeasured, sim.IsUntold)
	stores          = sim.NewNote1[int64]("etcdcache.stores", "has the event of revision %r in its store", sim.IsMeasured, sim.IsUntold)
	enqueues        = sim.NewNote2[int64, sim.Conn]("etcdcache.enqueues", "puts the event of revision %r into the channel of the watcher at connection %d", sim.IsMeasured, sim.IsUntold)
	progressLeftOut = sim.NewNote2[int64, int]("etcdcache.progressLeftOut", "sends no progress to watcher %[2]d, because revision %[1]r is the very one that it needs next")
)

var (
	compacted            = sim.NewCoveragePoint("etcd cache: watch ended by compaction")
	getWatchFailed       = sim.NewCoveragePoint("etcd cache: getWatch failed")
	purged               = sim.NewCoveragePoint("etcd cache: all watchers ended")
	storeWatcherStopped  = sim.NewCoveragePoint("etcd cache: watcher of the store ended with the others")
	broadcastRefused     = sim.NewCoveragePoint("etcd cache: response refused")
	nextProgressLeftOut  = sim.NewCoveragePoint("etcd cache: progress of the next revision not sent")
	lagsBehindGap        = sim.NewCoveragePoint("etcd cache: watcher lags behind a gap")
	lags                 = sim.NewCoveragePoint("etcd cache: watcher lags with a full channel")
	watcherCompacted     = sim.NewCoveragePoint("etcd cache: watcher needs what the history has lost")
	watchAwaitsReady     = sim.NewCoveragePoint("etcd cache: watch waits until the cache is ready")
	readWaitsForRevision = sim.NewCoveragePoint("etcd cache: read waits")
	requestRefused       = sim.NewCoveragePoint("etcd cache: request refused")
	readTimedOut         = sim.NewCoveragePoint("etcd cache: read timed out")
)
