// Package check (unstable) is the housekeeping of a cache with snapshots
// (KEP-4988): what goes on beside reads and watches, and compares the cache
// with etcd.
//
//	checker.go      compares a digest of the cache with one of etcd, now and then
//	detector.go     compares each answered list with etcd (KEP-2340)
//	compactions.go  follows the compactions of etcd
//
// The package must never import sim/cache or another package below it but store and traffic.
package check
