// Package backend is what the lock of a member's backend holds up (etcd's server/storage/backend): applying, and the beginning of reads,
// while the member is defragmented.
//
// What is stored is in package mvcc. The package must never import sim/etcd or another package below it.
package backend
