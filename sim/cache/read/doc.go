// Package read is how a watch cache answers LIST and GET: upstream's CacheDelegator
// with the waits of watchCache (KEP-2340).
//
//	Delegator   all reads of one cache
//	Read        one LIST or GET, or one watch that waits to begin
//
// The life of a LIST, a file each:
//
//	list.go       GetList: delegate, refuse, or find out what to wait for
//	revision.go   etcd's current revision
//	wait.go       waitUntilFreshLocked
//	serve.go      the answer from the store or a snapshot
//	ask.go        the answer from etcd
//
// Where designs differ there is a seam, an exported variable to which another
// module may add a value: Freshnesses, Timeouts, NotifyDetectors, RevisionRequests,
// RevisionSharings, Paginations, Fallbacks, RevisionSources, WatchRevisionSources and Locks. Package variant has
// the values that no release ships. An option with two values is a field of Options.
//
// The package imports sim, sim/wire, sim/option and packages below sim/cache that
// know nothing of reads. It must never import sim/cache: what it needs of the cache
// is in Surroundings.
package read
