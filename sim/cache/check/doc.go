// Package check (unstable) is the housekeeping of a cache with snapshots
// (KEP-4988): what goes on beside reads and watches, and compares the cache
// with etcd.
//
//	Checker      compares a digest of the cache with one of etcd, now and then
//	Detector     compares each answered list with etcd (KEP-2340)
//	Compactions  follows the compactions of etcd
//	Log          what the comparisons found
//
// Each is a small machine with named states. The package must never import
// sim/cache or another package below it but store and traffic.
package check
