// Package etcdcache (unstable) is etcd's own cache library, go.etcd.io/etcd/cache, as a node: one Cache on a
// clientv3.Client of its own. It is what the library is at commit c34dc7ee0048 (2026-08-20, before 3.8); the names are
// upstream's.
//
// It speaks sim/wire as package sim/cache says. What its clients ask for stands for a call of the library:
//
//	LIST, GET without resourceVersion   Get: linearizable
//	LIST, GET at "0"                    Get with WithSerializable
//	LIST at exactly N                   Get with WithRev(N): it waits for etcd's revision, too
//	WATCH after N                       Watch with WithRev(N+1)
//
// All other requests are refused (refuses), as the library has no call for them: pages, selectors, "not older than N",
// initial events. A watcher of the library that ends without an error ends the stream. Deletions come without the
// object: the library has no WithPrevKV. WithProgressNotify is left out: its timer fires after ten minutes, and
// progress of etcd reaches every watcher without it.
//
// # Yield points
//
//	getWatchLoop, getWatch   delivery of the Range; timer "backoff of getWatch"
//	watchEvents              task "watchEvents": one response, or the end of applyStorage
//	applyStorage             task of the watcher of the store: one response
//	Watch                    task of a client's watcher: one response to its channel, which has no room for a second
//	resyncLoop               timer "resync", set while a watcher lags: other ticks do nothing
//	Get                      delivery of the revision; task of the read after each broadcast of revCond, or when the cache becomes ready
//	the goroutine beside it  timer "timeout" of the read
//	progressRequestor.run    timer "progress", and task "progress" after a signal
//
// Between the end of waitTillRevision and the read of the snapshot the original holds no lock. What could happen there
// makes the answer only newer, as if the read had been woken later, so that both are one step. The broadcast at the
// timeout of a read is made without the lock, too: one that falls between the read's look and its Wait would be lost,
// which needs a step that ends nowhere else and is left out.
//
// The package imports sim, sim/cache (for its Config), sim/client/clientv3, sim/option, sim/state and sim/wire. It must
// never import sim/etcd.
package etcdcache
