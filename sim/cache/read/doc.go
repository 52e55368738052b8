// Package read (unstable) is how a watch cache answers LIST and GET: upstream's CacheDelegator
// with the waits of watchCache (KEP-2340).
//
//	Delegator   all reads of one cache
//	Read        one LIST or GET, or the wait of a watch or write
//
// list.go has the life of a LIST from its arrival to its answer: the request to etcd, the wait (waitUntilFreshLocked),
// and the answer from the store or a snapshot. The answer from etcd is in etcd.go.
//
// To two options another module may add a value: Freshnesses and Timeouts are seams.
//
// The package must never import sim/cache: what it works with of the cache is in Parts.
package read
